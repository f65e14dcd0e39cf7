// The local runtime has one thread, and polls timers and sockets only when it is idle. Under load it never is: the next
// request arrives before the last reply is sent. Then no alarm and no timer fires, and connections that waited for 5 s
// are closed although their requests have arrived. So requests pause now and then: while all of them wait, the runtime
// polls its timers and sockets.

/** The time between two pauses: far below those 5 s, and much longer than a pause takes. */
const BREATH_MS = 25;

let lastMs = 0;
let isDue = false;

/** Pauses the request if timers were not polled for a while. Each request waits for a timer of its own. */
export async function breathe(): Promise<void> {
  isDue ||= Math.abs(Date.now() - lastMs) >= BREATH_MS;
  if (!isDue) return;
  await scheduler.wait(0);
  isDue = false;
  lastMs = Date.now();
}
