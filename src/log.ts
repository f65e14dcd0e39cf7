// Log lines: JSON, one per request, never a key, an OTP, a text, or more of a number than its last four digits.

type Field = string | number | boolean | null | undefined;

/** One line about something that happened. */
export function logLine(event: string, fields: Record<string, Field>): void {
  console.log(JSON.stringify({ event, ...fields }));
}

/** One line about something that went wrong inside, for whoever operates the service. */
export function logProblem(where: string, problem: unknown): void {
  // An error of a query carries the query with its values; its cause says what went wrong.
  const root = problem instanceof Error && problem.cause instanceof Error ? problem.cause : problem;
  const message = root instanceof Error ? `${root.name}: ${root.message}` : "not an error";
  console.error(JSON.stringify({ event: "problem", where, message }));
}
