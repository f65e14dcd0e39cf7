import { faultOfRegistry } from "../../../dlt/faults.ts";
import { newHeaders } from "../../../dlt/import.ts";
import type { DltFault, DltImported, DltRegistry, DltTemplate, KeptDlt } from "../../../model/carrier/dlt.ts";
import type { Turn } from "../turn.ts";
import { dltUpdatedAt, readDlt, writeDlt } from "./rows.ts";

// Changes of the registry. The live object's is the account's; the test object's is a copy of it.

/** The registry with the time of this change, which is always later than the last one's. */
const stamped = ({ sql, nowMs }: Turn, registry: DltRegistry): KeptDlt => ({
  ...registry,
  updatedAt: Math.max(nowMs, dltUpdatedAt(sql) + 1),
});

/** Replaces the registry of that time, unless another one is there by now. The caller has found no fault in it. */
export function replaceDlt(turn: Turn, registry: DltRegistry, updatedAt: number | null): KeptDlt | "changed" {
  return dltUpdatedAt(turn.sql) === (updatedAt ?? 0) ? putDlt(turn, registry) : "changed";
}

/** Replaces the registry, from the next request on. The caller has found no fault in it. */
export function putDlt(turn: Turn, registry: DltRegistry): KeptDlt {
  const kept = stamped(turn, registry);
  writeDlt(turn.sql, kept);
  return kept;
}

/** Takes the registry of the other object, unless a newer one is here already: copies may come in any order. */
export function copyDlt({ sql }: Turn, kept: KeptDlt): true {
  if ((kept.updatedAt ?? 0) > dltUpdatedAt(sql)) writeDlt(sql, kept);
  return true;
}

const isSame = (one: DltTemplate, other: DltTemplate) =>
  one.text === other.text && one.category === other.category && one.headers.join("|") === other.headers.join("|");

/** Adds templates and changes those that have other contents, with the headers that they need; or why that cannot be. */
export function importDlt(turn: Turn, templates: DltTemplate[]): { kept: KeptDlt; imported: DltImported } | DltFault {
  const before = readDlt(turn.sql);
  const byId = new Map(before.templates.map((template) => [template.templateId, template]));
  const imported = { added: 0, changed: 0, unchanged: 0 };
  for (const template of templates) {
    const known = byId.get(template.templateId);
    if (!known) imported.added += 1;
    else if (isSame(known, template)) imported.unchanged += 1;
    else imported.changed += 1;
    byId.set(template.templateId, template);
  }
  if (imported.added + imported.changed === 0) return { kept: before, imported };
  const headers = [...before.headers, ...newHeaders(templates, before.headers)];
  const { updatedAt: _, ...registry } = { ...before, headers, templates: [...byId.values()] };
  const fault = faultOfRegistry(registry);
  return fault
    ? { ...fault, param: fault.param.startsWith("otp") ? fault.param : "csv" }
    : { kept: putDlt(turn, registry), imported };
}
