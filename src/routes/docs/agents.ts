import type { Context } from "hono";
import { createHash } from "node:crypto";
import { settings } from "../../http/app.ts";
import type { Api, AppEnv } from "../../http/app.ts";
import { openApi } from "../../openapi/served.ts";
import { SKILL_DESCRIPTION, SKILL_NAME, SKILL_PATH, llmsFullTxt, llmsTxt, skillMd } from "../../ui/docs/agents.ts";
import { valuesOf } from "../../ui/docs/reader.ts";
import type { Reader } from "../../ui/docs/reader.ts";
import { readTexts } from "../../ui/docs/texts.ts";

/** Assistants read English, without anyone's key. */
async function englishReader(c: Context<AppEnv>): Promise<Reader> {
  return {
    lang: "en",
    document: await openApi(c.env, "api"),
    texts: await readTexts(c.env),
    values: valuesOf(settings(c)),
    testKey: null,
    signedIn: false,
  };
}

const asText = (c: Context<AppEnv>, text: string, type: "plain" | "markdown") =>
  c.body(text, 200, { "Content-Type": `text/${type}; charset=utf-8` });

/** The documentation for programs and assistants: `/llms.txt`, `/llms-full.txt`, and an Agent Skill with its index. */
export const docsForAgents = (app: Api) => {
  app.get("/llms.txt", async (c) => asText(c, llmsTxt(await englishReader(c)), "plain"));
  app.get("/llms-full.txt", async (c) => asText(c, llmsFullTxt(await englishReader(c)), "plain"));
  app.get(SKILL_PATH, async (c) => asText(c, skillMd(await englishReader(c)), "markdown"));

  // Agent Skills Discovery 0.2.0: the digest is that of the bytes which are served.
  app.get("/.well-known/agent-skills/index.json", async (c) => {
    const digest = createHash("sha256")
      .update(skillMd(await englishReader(c)))
      .digest("hex");
    return c.json({
      $schema: "https://schemas.agentskills.io/discovery/0.2.0/schema.json",
      skills: [
        {
          name: SKILL_NAME,
          type: "skill-md",
          description: SKILL_DESCRIPTION,
          url: settings(c).CONSOLE_URL + SKILL_PATH,
          digest: `sha256:${digest}`,
        },
      ],
    });
  });
};
