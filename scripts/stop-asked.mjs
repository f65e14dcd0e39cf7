// Imported first by npm start, so that signals are handled even while the other modules load.

const asked = new AbortController();
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => asked.abort());

/** Aborted by the first signal that asks this process to stop. */
export const stopAsked = asked.signal;
