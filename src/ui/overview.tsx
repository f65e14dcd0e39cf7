import type { FC, PropsWithChildren } from "hono/jsx";
import type { AccountView } from "../model/account.ts";
import { otpsLeft } from "../model/live.ts";
import { ENDPOINTS } from "../model/operations.ts";
import { curlCommand, keyHeader } from "../sending/curl.ts";
import { count } from "./format.ts";
import { Icon } from "./icons.tsx";
import { useTileWords } from "./live.tsx";
import { Card, Empty, Field, useMoney } from "./parts.tsx";
import { ComposeScript, SendFields, useResultWords } from "./send/frame.tsx";
import { NumberRead } from "./send/number.tsx";
import { useView, useWords } from "./view.ts";
import { overview } from "./words/overview.ts";
import { shell } from "./words/shell.ts";

// The parts of the overview: tiles, the first call of the API, and sending by hand. The script updates the elements
// that are marked data-live.

const Tile: FC<PropsWithChildren<{ name: string; class?: string }>> = ({ name, children, ...props }) => (
  <div class={`card tile ${props.class ?? ""}`}>
    <dt>{name}</dt>
    {children}
  </div>
);

/** The account's balance and terms. */
export const Tiles: FC<{ account: AccountView }> = ({ account }) => {
  const t = useWords(overview);
  const s = useWords(shell);
  const { lang, at, mode } = useView();
  const money = useMoney();
  const tileWords = useTileWords();
  const left = otpsLeft(account.balance, account.otpRate);
  return (
    <dl class="tiles">
      <Tile name={mode === "test" ? t.testBalance : t.balance} class="hero">
        <dd class="figure" data-live="balance">
          {money(account.balance)}
        </dd>
        {mode === "test" ? (
          <dd class="dim small">{t.testBalanceHint}</dd>
        ) : (
          <dd>
            <a class="btn small" href={at("/billing")}>
              <Icon name="plus" />
              {t.addMoney}
            </a>
          </dd>
        )}
      </Tile>
      <Tile name={t.otpsLeft}>
        <dd class="figure" data-live="left">
          {left === null ? t.free : count(left, lang)}
        </dd>
        <dd class="dim small">{t.otpsLeftHint}</dd>
      </Tile>
      <Tile name={t.otpRate}>
        <dd class="figure" data-live="rate">
          {money(account.otpRate)}
        </dd>
        <dd class="dim small">{t.otpRateHint}</dd>
      </Tile>
      <Tile name={t.plan}>
        <dd class="figure" data-live="plan" {...tileWords}>
          {s.plans[account.plan]}
        </dd>
        <dd class="dim small">
          <span data-live="limit">{account.requestsPerMinute}</span> {t.perMinute}
        </dd>
      </Tile>
      <Tile name={t.status}>
        <dd>
          <span class={`pill ${account.status === "active" ? "ok" : "bad"}`} data-live="status" {...tileWords}>
            {s.status[account.status]}
          </span>
        </dd>
      </Tile>
    </dl>
  );
};

interface Sample {
  id: string;
  name: string;
  /** The call, in pieces with the key between them. */
  pieces: string[];
}

/** Where the key is put into a sample; no sample contains these characters elsewhere. */
const KEY_PLACE = "{key}";

/** How the API is called, in three languages. The calls send the same as the form beside them. */
export function samplesOf(url: string, phone: string): Sample[] {
  const body = `{"phone": "${phone}", "otp": "482913", "brandName": "Acme"}`;
  const auth = keyHeader(ENDPOINTS.otp);
  const curl = curlCommand(url, auth + KEY_PLACE, body).split(KEY_PLACE);
  const node = [
    `const reply = await fetch("${url}", {\n  method: "POST",\n  headers: {\n    Authorization: "Bearer `,
    `",\n    "Content-Type": "application/json",\n  },\n  body: JSON.stringify(${body}),\n});\nconsole.log(await reply.json());`,
  ];
  const python = [
    `import json, urllib.request\n\nrequest = urllib.request.Request(\n    "${url}",\n    data=json.dumps(${body}).encode(),\n    headers={\n        "Authorization": "Bearer `,
    `",\n        "Content-Type": "application/json",\n    },\n)\nprint(urllib.request.urlopen(request).read().decode())`,
  ];
  return [
    { id: "curl", name: "curl", pieces: curl },
    { id: "node", name: "Node", pieces: node },
    { id: "python", name: "Python", pieces: python },
  ];
}

const Samples: FC<{ masked: string; samples: Sample[] }> = ({ masked, samples }) => {
  const t = useWords(overview);
  return (
    <div class="code samples">
      <div class="codebar">
        <div role="tablist" aria-label={t.language}>
          {samples.map(({ id, name }, place) => (
            <button
              type="button"
              class="ghost"
              role="tab"
              id={`tab-${id}`}
              aria-controls={`sample-${id}`}
              aria-selected={place === 0 ? "true" : "false"}
              tabindex={place === 0 ? 0 : -1}
            >
              {name}
            </button>
          ))}
        </div>
        <button type="button" class="ghost" data-copy-sample>
          <Icon name="copy" />
          <span>{t.copySample}</span>
        </button>
      </div>
      {samples.map(({ id, pieces }, place) => (
        <div
          role="tabpanel"
          id={`sample-${id}`}
          aria-labelledby={`tab-${id}`}
          {...(place > 0 && { "data-later": true })}
        >
          <pre tabindex={0}>
            {pieces.flatMap((piece, at) => (at === 0 ? [piece] : [<span data-key-text>{masked}</span>, piece]))}
          </pre>
        </div>
      ))}
    </div>
  );
};

/** The newest key, and the first call with it; without a key, how to get one. */
export const FirstCall: FC<{ keyId: string | null; masked: string; samples: Sample[] }> = ({
  keyId,
  masked,
  samples,
}) => {
  const t = useWords(overview);
  const { at, mode } = useView();
  if (keyId === null) {
    return (
      <Card title={t.keyTitle}>
        <Empty icon="keys" title={t.noKey}>
          <p>{t.noKeyHint}</p>
          <a class="btn" href={at("/keys")}>
            {t.makeKey}
          </a>
        </Empty>
      </Card>
    );
  }
  return (
    <Card
      title={t.keyTitle}
      extra={
        <a class="ghost" href={at("/keys")}>
          {t.allKeys}
        </a>
      }
    >
      <div id="first-request" data-key-box data-masked={masked} data-show-url={at(`/keys/${keyId}/show`)}>
        <form class="keyline" method="post" action={at(`/keys/${keyId}/show`)}>
          <span class="sr">{t.keyLabel}: </span>
          <code data-key-text>{masked}</code>
          <button class="ghost" data-show-key>
            <span class="when-hidden">{t.show}</span>
            <span class="when-shown">{t.hide}</span>
          </button>
          <button type="button" class="ghost" data-copy-key aria-label={t.copyKey}>
            <Icon name="copy" />
          </button>
        </form>
        <Samples masked={masked} samples={samples} />
      </div>
      <p class="hint">{mode === "test" ? t.testKeyHint : t.keyHint}</p>
    </Card>
  );
};

/** Sends an OTP by hand, with the same command, price, limit and ledger as the API. */
export const OtpSender: FC<{ phone: string; code: string; otpRate: number }> = ({ phone, code, otpRate }) => {
  const t = useWords(overview);
  const { at } = useView();
  const money = useMoney();
  return (
    <Card title={t.otpTitle}>
      <form
        id="otp-form"
        class="stack"
        method="post"
        action={at("/send/otp")}
        data-send=""
        data-check={at("/send/otp/check")}
        {...useResultWords()}
      >
        <SendFields />
        <ComposeScript />
        <div class="stack tight">
          <Field
            label={t.phone}
            name="phone"
            value={phone}
            type="tel"
            prefix="+91"
            hint={t.phoneHint}
            inputmode="tel"
            autocomplete="off"
            required
          />
          <NumberRead kind="otp" typed={{ phone }} />
        </div>
        <div class="two">
          <Field
            label={t.code}
            name="otp"
            value={code}
            hint={t.codeHint}
            inputmode="numeric"
            autocomplete="off"
            required
            mono
          />
          <Field label={t.brand} name="brandName" hint={t.brandHint} maxlength={40} autocomplete="organization" />
        </div>
        <button class="btn wide sendbtn">
          <Icon name="send" />
          {t.sendOtp}
          <span data-live="rate">{money(otpRate)}</span>
        </button>
      </form>
    </Card>
  );
};
