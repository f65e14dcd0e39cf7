// The pages of the documentation, for the fuzzers' list of endpoints.

export const DOCS_PAGES: Record<string, { query?: Record<string, string> }> = {
  "GET /docs": {},
  "GET /docs.md": {},
  "GET /docs/search": { query: { q: "retry 429" } },
  "GET /docs/:guide": {},
  "GET /docs/api/:operation": {},
  "GET /llms.txt": {},
  "GET /llms-full.txt": {},
  "GET /.well-known/agent-skills/index.json": {},
  "GET /.well-known/agent-skills/dastak/SKILL.md": {},
};
