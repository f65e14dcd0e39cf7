// Parts of a benchmark that failed: the others are printed first, then these, and the program ends with 1.

/** Runs a part; if it fails, adds that to `failures` and returns null. */
export async function part(name, failures, work) {
  try {
    return await work();
  } catch (problem) {
    failures.push({ part: name, problem });
    return null;
  }
}

/** Prints what failed; the exit code is then 1. */
export function printFailures(failures) {
  for (const { part: name, problem } of failures) console.error(`FAILED: ${name}: ${problem?.stack ?? problem}`);
  if (failures.length > 0) process.exitCode = 1;
}
