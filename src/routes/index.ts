import { failurePage, findPerson, page } from "../console/page.tsx";
import { createApp } from "../http/app.ts";
import type { Api, Pages } from "../http/app.ts";
import type { BaseName } from "../http/bases.ts";
import { logRefused, logRefusedTool } from "../sending/refused.ts";
import { carrierCallback } from "./callbacks/carrier.ts";
import { activityPages } from "./console/activity.tsx";
import { archivePages } from "./console/archives.tsx";
import { assets } from "./console/assets.ts";
import { billingPages } from "./console/billing.tsx";
import { confirmPages } from "./console/confirm.tsx";
import { inboxLive } from "./console/inbox-live.ts";
import { inboxPages } from "./console/inbox.tsx";
import { invoicePages } from "./console/invoice.tsx";
import { keysPages } from "./console/keys.tsx";
import { leavingPages } from "./console/leaving.tsx";
import { liveFeed } from "./console/live.ts";
import { ordersPages } from "./console/orders.tsx";
import { dltPages } from "./console/dlt.tsx";
import { webhookEditPages } from "./console/webhook-edit.tsx";
import { webhooksPages } from "./console/webhooks.tsx";
import { overviewPage, usagePage } from "./console/overview.tsx";
import { payPages } from "./console/pay.tsx";
import { phoneLost } from "./console/phone-lost.tsx";
import { preferences } from "./console/preferences.ts";
import { requestsPage } from "./console/requests.tsx";
import { recordingsPages } from "./console/recordings.tsx";
import { schedulePages } from "./console/schedule.tsx";
import { securityLog } from "./console/security-log.tsx";
import { sendPages } from "./console/send.tsx";
import { settingsPhone } from "./console/settings-phone.tsx";
import { settingsPages } from "./console/settings.tsx";
import { signInPassword } from "./console/sign-in-password.tsx";
import { signInPages } from "./console/sign-in.tsx";
import { signUpPages } from "./console/sign-up.tsx";
import { spendCap } from "./console/spend-cap.ts";
import { deskAccount } from "./desk/account.tsx";
import { deskAccounts } from "./desk/accounts.tsx";
import { deskAudit } from "./desk/audit.tsx";
import { deskCarrierActs } from "./desk/carrier-acts.tsx";
import { deskCarrierSet } from "./desk/carrier-set.tsx";
import { deskCarriers } from "./desk/carriers.tsx";
import { deskHealthPages } from "./desk/health.tsx";
import { deskLeaving } from "./desk/leaving.tsx";
import { deskNote } from "./desk/note.tsx";
import { deskNumberRules } from "./desk/number-rules.tsx";
import { deskPayments } from "./desk/payments.tsx";
import { deskQueues } from "./desk/queues.tsx";
import { deskRateCard } from "./desk/rate-card.tsx";
import { deskReconcile } from "./desk/reconcile.tsx";
import { deskRoutes } from "./desk/routes.tsx";
import { deskSessions } from "./desk/sessions.tsx";
import { deskDoor } from "./desk/sign-in.tsx";
import { docsForAgents } from "./docs/agents.ts";
import { docsPages } from "./docs/pages.tsx";
import { openapiDocuments } from "./docs/openapi.ts";
import { health } from "./health.ts";
import { mediaRecording } from "./media/recording.ts";
import { operatorAccounts } from "./operator/accounts.ts";
import { operatorAlerts } from "./operator/alerts.ts";
import { operatorArchives } from "./operator/archives.ts";
import { operatorAudit } from "./operator/audit.ts";
import { operatorCarriers } from "./operator/carriers.ts";
import { operatorCredits } from "./operator/credits.ts";
import { operatorHealth } from "./operator/health.ts";
import { operatorHistory } from "./operator/history.ts";
import { operatorKeys } from "./operator/keys.ts";
import { operatorLeaving } from "./operator/leaving.ts";
import { operatorLedger } from "./operator/ledger.ts";
import { operatorMessages } from "./operator/messages.ts";
import { operatorRateCard } from "./operator/rate-card.ts";
import { operatorReconcile } from "./operator/reconcile.ts";
import { operatorRoutes } from "./operator/routes.ts";
import { operatorRules } from "./operator/rules.ts";
import { operatorSecrets } from "./operator/secrets.ts";
import { sendOtp } from "./otp/send-otp.ts";
import { accountBalance } from "./sms/account-balance.ts";
import { sendBulkSms } from "./sms/send-bulk-sms.ts";
import { sendInternationalSms } from "./sms/send-international-sms.ts";
import { sendSms } from "./sms/send-sms.ts";
import { inboxApi } from "./test-inbox/inbox.ts";
import { ttsCall } from "./tts/tts-call.ts";
import { accountRoutes } from "./v1/account.ts";
import { cancelApi } from "./v1/cancel.ts";
import { messagesApi } from "./v1/messages.ts";
import { dltApi } from "./v1/dlt.ts";
import { eventsApi } from "./v1/events.ts";
import { preflight } from "./v1/preflight.ts";
import { recordingsApi } from "./v1/recordings.ts";
import { refusalsApi } from "./v1/refusals.ts";
import { requestsApi } from "./v1/requests.ts";
import { webhooksApi } from "./v1/webhooks.ts";
import { makeVoiceCall } from "./voice/make-voice-call.ts";
import { uploadVoice } from "./voice/upload-voice.ts";
import { gateway } from "./ways/gateway.ts";
import { hooksApi } from "./ways/hooks.ts";
import { mcp } from "./ways/mcp.ts";
import { supabaseHook } from "./ways/supabase.ts";
import { twilioMessages } from "./ways/twilio-messages.ts";
import { twilioSend } from "./ways/twilio-send.ts";
import { paymentWebhooks } from "./webhooks/payments.ts";

/** Adds an endpoint, or a few that belong together, to an app. */
type Route = (app: Api) => unknown;

/** The account's own API, and the test inbox. */
const OWN: readonly Route[] = [
  accountRoutes,
  messagesApi,
  requestsApi,
  cancelApi,
  preflight,
  refusalsApi,
  recordingsApi,
  eventsApi,
  webhooksApi,
  dltApi,
  hooksApi,
  inboxApi,
];

/** Table of contents: every endpoint, by base. */
const ROUTES: Record<BaseName, readonly Route[]> = {
  sms: [sendSms, sendBulkSms, sendInternationalSms, accountBalance, gateway, twilioSend, twilioMessages],
  tts: [ttsCall],
  voice: [uploadVoice, makeVoiceCall],
  otp: [sendOtp, supabaseHook],
  console: [
    operatorAccounts,
    operatorCredits,
    operatorLeaving,
    operatorLedger,
    operatorMessages,
    operatorArchives,
    operatorKeys,
    operatorSecrets,
    operatorRateCard,
    operatorCarriers,
    operatorRoutes,
    operatorRules,
    operatorReconcile,
    operatorHistory,
    operatorAudit,
    operatorHealth,
    operatorAlerts,
    carrierCallback,
    mediaRecording,
    paymentWebhooks,
    openapiDocuments,
    assets,
    preferences,
    signInPages,
    signInPassword,
    signUpPages,
    confirmPages,
    overviewPage,
    usagePage,
    liveFeed,
    sendPages,
    schedulePages,
    activityPages,
    requestsPage,
    inboxLive,
    inboxPages,
    recordingsPages,
    ...OWN,
    mcp,
    keysPages,
    webhookEditPages,
    webhooksPages,
    dltPages,
    billingPages,
    ordersPages,
    invoicePages,
    payPages,
    settingsPages,
    spendCap,
    leavingPages,
    settingsPhone,
    phoneLost,
    securityLog,
    archivePages,
    deskDoor,
    deskAccounts,
    deskAccount,
    deskLeaving,
    deskCarriers,
    deskCarrierActs,
    deskCarrierSet,
    deskRoutes,
    deskRateCard,
    deskNumberRules,
    deskNote,
    deskPayments,
    deskQueues,
    deskHealthPages,
    deskReconcile,
    deskAudit,
    deskSessions,
    docsPages,
    docsForAgents,
  ],
};

/** An app that is made when a request first needs it: no isolate waits, when it starts, for apps that it may never serve. */
function once(make: () => Api): () => Api {
  let made: Api | undefined;
  return () => (made ??= make());
}

/** The app that pages and tools call in their own invocation: the API, and the webhooks for sandbox payments. */
const ownApi = once(() => {
  const app = createApp(undefined, logRefusedTool);
  for (const add of [ROUTES.sms, ROUTES.tts, ROUTES.voice, ROUTES.otp, OWN, paymentWebhooks].flat()) add(app);
  return app;
});

function appOf(routes: readonly Route[], pages?: Pages): Api {
  const app = createApp(pages, logRefused);
  for (const add of [health, ...routes]) add(app);
  return app;
}

/** An app with pages: its failures are pages too, and its pages send through the API. */
const pagesOf = (routes: readonly Route[]): Api =>
  appOf(routes, { failureAs: failurePage, findPerson, ownApi: ownApi(), page });

/** One app per base; `all` for the console host of a local service, `none` for an unknown host. */
export const APPS: Readonly<Record<BaseName | "all" | "none", () => Api>> = {
  sms: once(() => appOf(ROUTES.sms)),
  tts: once(() => appOf(ROUTES.tts)),
  voice: once(() => appOf(ROUTES.voice)),
  otp: once(() => appOf(ROUTES.otp)),
  console: once(() => pagesOf(ROUTES.console)),
  all: once(() => pagesOf(Object.values(ROUTES).flat())),
  none: once(() => createApp()),
};
