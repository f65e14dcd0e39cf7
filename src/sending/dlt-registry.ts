import { failBy, fail } from "../http/errors.ts";
import type { DltFault, DltImported, DltRegistry, DltTemplate, KeptDlt } from "../model/carrier/dlt.ts";
import { bothOf } from "../objects.ts";

// The DLT registry of an account (contract §17.1): the live object's, of which the test object has a copy.

/** An account and where its objects are. */
interface Of {
  env: Env;
  accountId: string;
}

const unopened = (): never => failBy("unauthorized", { id: "unauthorized" });

/** The registry of an account. */
export async function registryIn({ env, accountId }: Of): Promise<KeptDlt> {
  const kept: KeptDlt | null = await bothOf(env, accountId).live.dlt();
  return kept ?? unopened();
}

/** Copies the live object's registry to the test object; until that is done, the caller is asked to repeat. */
async function copied({ env, accountId }: Of, kept: KeptDlt): Promise<KeptDlt> {
  try {
    await bothOf(env, accountId).test.copyDlt(kept);
  } catch {
    fail("unavailable", "The registry is stored for live keys and not for test keys yet; repeat the request.", {
      headers: { "Retry-After": "1" },
    });
  }
  return kept;
}

/** Replaces the registry, which has no fault. */
export async function storeRegistry(of: Of, registry: DltRegistry): Promise<KeptDlt> {
  const kept: KeptDlt | null = await bothOf(of.env, of.accountId).live.putDlt(registry);
  return copied(of, kept ?? unopened());
}

/** Replaces the registry that was read; null where another one is there by now. */
export async function replaceRegistry(
  of: Of,
  registry: DltRegistry,
  updatedAt: number | null,
): Promise<KeptDlt | null> {
  const kept: KeptDlt | "changed" | null = await bothOf(of.env, of.accountId).live.replaceDlt(registry, updatedAt);
  return kept === "changed" ? null : copied(of, kept ?? unopened());
}

/** Adds and changes templates; or says why the registry could not have them. */
export async function importTemplates(
  of: Of,
  templates: DltTemplate[],
): Promise<{ kept: KeptDlt; imported: DltImported } | DltFault> {
  const done: { kept: KeptDlt; imported: DltImported } | DltFault | null = await bothOf(
    of.env,
    of.accountId,
  ).live.importDlt(templates);
  if (done === null) return unopened();
  if (!("error" in done)) await copied(of, done.kept);
  return done;
}
