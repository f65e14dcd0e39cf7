/** A valid request. The fuzzer replaces a value in braces, such as `{id}`, by the id of something that exists. */
export interface Shape {
  /** Fields of a JSON body. */
  json?: Record<string, unknown>;
  /** Fields of a form. */
  form?: Record<string, string>;
  /** A body that is CSV. */
  csv?: string;
  query?: Record<string, string>;
  /** The party that signs the body. */
  signed?: "carrier" | "payments" | "supabase";
  /** Accepts WebSockets. */
  socket?: true;
}
