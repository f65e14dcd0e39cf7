import type { FC } from "hono/jsx";
import { paise } from "../format.ts";

// What documents for paper share: invoices, receipts, and the notes on them. They are in English for every reader.

/** An amount of paise on paper. */
export const money = (amount: number) => paise(amount, "en");

/** A party of the sale, on paper. */
export const Party: FC<{
  title: string;
  name: string;
  address: string;
  gstin: string | null;
  state: string | null;
}> = ({ title, name, address, gstin, state }) => (
  <section>
    <h2>{title}</h2>
    {name !== "" && (
      <p>
        <b>{name}</b>
      </p>
    )}
    {address !== "" && <p class="address">{address}</p>}
    {state !== null && <p>State: {state}</p>}
    {gstin !== null && <p>GSTIN: {gstin === "" ? "unregistered" : <span class="mono">{gstin}</span>}</p>}
  </section>
);

interface SumsProps {
  /** Null on a document without tax. */
  tax: { taxablePaise: number; lines: readonly { name: string; percent: number; paise: number }[] } | null;
  totalPaise: number;
  /** Columns of the table before the amount. */
  columns: number;
}

/** Taxable value, taxes and total; only the total where there is no tax. */
export const Sums: FC<SumsProps> = ({ tax, totalPaise, columns }) => (
  <tbody class="sums">
    {tax && (
      <>
        <tr>
          <th scope="row" colspan={columns}>
            Taxable value
          </th>
          <td class="num">{money(tax.taxablePaise)}</td>
        </tr>
        {tax.lines.map(({ name, percent, paise: amount }) => (
          <tr>
            <th scope="row" colspan={columns}>
              {name} {percent}%
            </th>
            <td class="num">{money(amount)}</td>
          </tr>
        ))}
      </>
    )}
    <tr class="total">
      <th scope="row" colspan={columns}>
        Total{tax && " including GST"}
      </th>
      <td class="num">{money(totalPaise)}</td>
    </tr>
  </tbody>
);

/** The end of a document: what it is by law, and who issued it. */
export const Foot: FC<{ says: string; seller: string }> = ({ says, seller }) => (
  <footer>
    <p>{says}</p>
    <p class="signature">
      For {seller}
      <span>Computer generated; valid without a signature.</span>
    </p>
  </footer>
);
