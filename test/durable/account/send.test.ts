import { expect, it } from "vitest";
import { dispatch, follow, messagesOf, openWorld, sendSms } from "../../world/world.ts";

it("takes a message from request to delivery", async () => {
  const world = await openWorld();
  const reply = await sendSms(world);
  expect(reply.body).toEqual({ success: true, message: "The SMS is queued.", coins_used: 1, coins_remaining: 999 });
  const [queued] = await messagesOf(world);
  expect(queued?.state).toBe("queued");
  const result = await dispatch(world, [queued!.seq]);
  expect(result.explicitAcks).toHaveLength(1);
  expect((await messagesOf(world))[0]?.state).toBe("submitted");
  await follow(world, [queued!.seq]);
  expect((await messagesOf(world))[0]?.state).toBe("delivered");
});
