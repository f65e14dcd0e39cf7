// What remains of an object that was erased: one row that says so. The object answers as one that was never opened, and
// nothing that arrives late opens it again.

/** Whether the object was erased. */
export function isErased(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'erased'").toArray().length > 0;
}

/** Deletes everything that an object stores, its alarm included, and marks it as erased. Repeating it changes nothing. */
export async function eraseStorage({ storage }: Pick<DurableObjectState, "storage">): Promise<void> {
  await storage.deleteAlarm();
  await storage.deleteAll();
  storage.sql.exec("CREATE TABLE IF NOT EXISTS erased (at INTEGER NOT NULL)");
}
