/** The name by which an object is reached; every object of this service has one. */
export function nameOf(ctx: DurableObjectState): string {
  const { name } = ctx.id;
  if (name === undefined) throw new Error("an object is reached by its name");
  return name;
}
