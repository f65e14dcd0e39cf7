// SQLite for the peer that is written in Node: better-sqlite3, or Node's own where that is not installed.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** What better-sqlite3 calls `transaction`, for Node's own SQLite. */
function transactionOf(db) {
  const [begin, commit, rollback] = ["begin", "commit", "rollback"].map((word) => db.prepare(word));
  return (run) =>
    (...args) => {
      begin.run();
      try {
        const result = run(...args);
        commit.run();
        return result;
      } catch (error) {
        rollback.run();
        throw error;
      }
    };
}

/** The SQLite that runs here: its name, and how a file is opened. */
export function sqlite() {
  try {
    const Database = require("better-sqlite3");
    // Its native part is loaded with the first database, and may be missing where the package is not.
    new Database(":memory:").close();
    return { name: "better-sqlite3", open: (file) => new Database(file) };
  } catch {
    const { DatabaseSync } = require("node:sqlite");
    const open = (file) => {
      const db = new DatabaseSync(file);
      return Object.assign(db, { transaction: transactionOf(db) });
    };
    return { name: "node:sqlite", open };
  }
}
