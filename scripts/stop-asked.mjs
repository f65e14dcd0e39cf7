// Imported first by npm start, so that a signal counts from the beginning, also while everything else is loading.

const asked = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => asked.abort());
// Wrangler, while it migrates within this process, ends it at a signal with a code of its own.
process.once("exit", () => {
  if (asked.signal.aborted) process.exitCode = 0;
});

/** Aborted by the first signal that asks this process to stop. */
export const stopAsked = asked.signal;
