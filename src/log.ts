// Log lines: JSON, one per request, never a key, an OTP, a text, or more of a number than its last four digits.

type Field = string | number | boolean | null | undefined;

/** One line about something that happened. */
export function logLine(event: string, fields: Record<string, Field>): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** One line about something that went wrong inside, for whoever operates the service. */
export function logProblem(where: string, problem: unknown): void {
  const message = problem instanceof Error ? `${problem.name}: ${problem.message}` : "not an error";
  console.error(JSON.stringify({ event: "problem", where, message }));
}
