/** The name of an object; this service addresses every object by name. */
export function nameOf(ctx: DurableObjectState): string {
  const { name } = ctx.id;
  if (name === undefined) throw new Error("an object is reached by its name");
  return name;
}
