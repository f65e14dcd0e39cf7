import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/db/schema.ts", "./src/db/health/schema.ts", "./src/db/money/schema.ts"],
  out: "./migrations",
});
