import type { Api } from "../../app.ts";
import { page, show } from "../../console.tsx";
import { PageHead } from "../../ui/parts.tsx";

/** `/billing/orders/:order/invoice`. */
export const invoicePages = (app: Api) =>
  app.get("/billing/orders/:order/invoice", page, (c) =>
    show(c, <PageHead title="/billing/orders/:order/invoice" />, {
      title: "/billing/orders/:order/invoice",
      bare: true,
    }),
  );
