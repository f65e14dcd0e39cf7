// The local runtime is one thread, and looks at its timers and its sockets only when nothing else is left to do. Under
// load something always is: the next request is there before the last reply is out. Then no alarm and no timer comes,
// and connections that waited for 5 s are closed although their requests have arrived. So requests stop for a moment
// now and then: once all of them wait, timers and sockets have their turn.

/** How long requests go on without such a moment. Far below the 5 s, and a turn costs a fraction of it. */
const BREATH_MS = 25;

let lastMs = 0;
let isDue = false;

/** Waits for the runtime's timers where they had no turn for a while. Each request waits for a timer of its own. */
export async function breathe(): Promise<void> {
  isDue ||= Math.abs(Date.now() - lastMs) >= BREATH_MS;
  if (!isDue) return;
  await scheduler.wait(0);
  isDue = false;
  lastMs = Date.now();
}
