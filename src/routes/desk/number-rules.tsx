import { audit } from "../../audit/audit.ts";
import { atDesk } from "../../console/desk-gate.tsx";
import { deskWordsOf, showDesk } from "../../console/desk-page.tsx";
import { formOf } from "../../console/forms.ts";
import { at, page, viewOf } from "../../console/page.tsx";
import type { Api } from "../../http/app.ts";
import {
  numberRulesAct,
  readNumberRules,
  storedNumberRules,
  typedNumberRules,
  writeNumberRules,
} from "../../sending/number-rules.ts";
import { DeskNumbers } from "../../ui/desk/rules.tsx";
import { rulesWords } from "../../ui/words/rules.ts";

/** `/desk/number-rules`: the numbers that no account reaches, changed without a deploy. */
export const deskNumberRules = (app: Api) => {
  app.get("/desk/number-rules", page, atDesk("read"), async (c) => {
    const typed = typedNumberRules(await storedNumberRules(c.env, c.executionCtx));
    const done = c.req.query("done") === "changed" ? deskWordsOf(c).done.changed : undefined;
    return showDesk(c, "card", <DeskNumbers typed={typed} done={done} />, {
      title: rulesWords[viewOf(c).lang].numbers,
    });
  });

  app.post("/desk/number-rules", page, atDesk("prices"), async (c) => {
    const t = rulesWords[viewOf(c).lang];
    const form = await formOf(c);
    const read = readNumberRules(form);
    if ("fault" in read) {
      const error = read.fault === "many" ? t.manyPrefixes : t.badPrefix(String(read.fault));
      const refused = { code: "invalid_request", error, field: "prefixes" } as const;
      const content = <DeskNumbers typed={form} done={undefined} fault={refused} />;
      return showDesk(c, "card", content, { title: t.numbers, refused });
    }
    await writeNumberRules(c.env.RECORDINGS, read.rules);
    await audit(c, numberRulesAct(read.rules));
    return c.redirect(at(c, "/desk/number-rules?done=changed"), 303);
  });
};
