import { HTTP } from "./suite-http.ts";
import { INFOBIP, KANNEL, TWILIO } from "./suite-providers.ts";
import { TEMPLATE_FORM, TEMPLATE_GET, TEMPLATE_JSON } from "./suite-template.ts";
import { suite } from "./suite.ts";

// A new kind is one more line here. What holds of a carrier over SMPP, which has another transport, is in smpp.test.ts and
// ../durable/smpp (docs/carriers.md says which test holds which row).
suite(HTTP);
suite(TEMPLATE_JSON);
suite(TEMPLATE_FORM);
suite(TEMPLATE_GET);
suite(KANNEL);
suite(TWILIO);
suite(INFOBIP);
