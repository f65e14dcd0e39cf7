import { operator } from "./books.ts";
import type { Account } from "./customer.ts";
import type { Log } from "./log.ts";
import { rolesOf } from "./settings.ts";
import type { Role } from "./settings.ts";

// The accounts of a run.

export interface Customer extends Account {
  role: Role;
}

/** Opens so many accounts of all roles, each with its opening balance, and logs them. */
export async function openAccounts(count: number, log: Log): Promise<Customer[]> {
  const customers: Customer[] = [];
  for (const [index, role] of rolesOf(count).entries()) {
    const { plan, opening } = role;
    const name = `torture-${index}`;
    const { status, body } = await operator("POST", "/accounts", { name, plan, balance: opening }, name);
    const [id, apiKey] = [body.account_id ?? "", body.api_key ?? ""];
    if (status !== 200) throw new Error(`opening an account failed: ${status} ${body.error}`);
    log.append({ t: "account", id, index, plan, opening });
    customers.push({ index, id, apiKey, fileIds: [], role });
  }
  return customers;
}
