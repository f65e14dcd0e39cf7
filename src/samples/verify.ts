import type { Sample } from "./sample.ts";

// How a webhook's signature is verified (Standard Webhooks; contract §14), in each language without a package. Each sample
// is one function over the secret, the three headers and the bytes of the body; its caller knows its own web framework.

const NODE = `import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether a delivery is genuine. \`body\` is the text of the request as it came, before any JSON parser. */
export function isGenuine(secret, headers, body) {
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => headers[\`webhook-\${name}\`] ?? "");
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300)) return false;
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const own = createHmac("sha256", key).update(\`\${id}.\${timestamp}.\${body}\`).digest();
  return signatures.split(" ").some((signature) => {
    const sent = Buffer.from(signature.replace("v1,", ""), "base64");
    return sent.length === own.length && timingSafeEqual(sent, own);
  });
}`;

const PYTHON = `import base64, hashlib, hmac, time


def is_genuine(secret, headers, body):
    """Whether a delivery is genuine. body: the bytes of the request, before any JSON parser."""
    id, timestamp, signatures = (headers.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    own = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(own.encode(), sent.encode()) for sent in signatures.split(" "))`;

const PHP = `<?php
/** Whether a delivery is genuine. $body: file_get_contents('php://input'); $headers: names in small letters. */
function isGenuine(string $secret, array $headers, string $body): bool
{
  [$id, $timestamp, $signatures] = array_map(
    fn ($name) => $headers["webhook-$name"] ?? '',
    ['id', 'timestamp', 'signature'],
  );
  if (!ctype_digit($timestamp) || abs(time() - (int) $timestamp) > 300) {
    return false;
  }
  $key = base64_decode(str_replace('whsec_', '', $secret));
  $own = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
  foreach (explode(' ', $signatures) as $sent) {
    if (hash_equals($own, $sent)) {
      return true;
    }
  }
  return false;
}`;

const GO = `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// isGenuine says whether a delivery is genuine. body: the bytes of the request, before any JSON parser.
func isGenuine(secret string, headers http.Header, body []byte) bool {
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	at, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || math.Abs(float64(time.Now().Unix()-at)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "." + string(body)))
	own := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, sent := range strings.Split(headers.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(own), []byte(sent)) {
			return true
		}
	}
	return false
}`;

const JAVA = `import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Webhook {
    /** Whether a delivery is genuine. body: the text of the request as it came; headers: names in small letters. */
    static boolean isGenuine(String secret, Map<String, String> headers, String body) throws Exception {
        String timestamp = headers.getOrDefault("webhook-timestamp", "");
        if (!timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(System.currentTimeMillis() / 1000 - Long.parseLong(timestamp)) > 300) return false;
        byte[] key = Base64.getDecoder().decode(secret.replace("whsec_", ""));
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        String signed = headers.getOrDefault("webhook-id", "") + "." + timestamp + "." + body;
        byte[] digest = mac.doFinal(signed.getBytes(StandardCharsets.UTF_8));
        byte[] own = ("v1," + Base64.getEncoder().encodeToString(digest)).getBytes(StandardCharsets.UTF_8);
        for (String sent : headers.getOrDefault("webhook-signature", "").split(" ")) {
            if (MessageDigest.isEqual(own, sent.getBytes(StandardCharsets.UTF_8))) return true;
        }
        return false;
    }
}`;

const RUBY = `require "openssl"

# Whether a delivery is genuine. body: the bytes of the request, before any JSON parser.
def genuine?(secret, headers, body)
  id, timestamp, signatures = %w[id timestamp signature].map { |name| headers.fetch("webhook-#{name}", "") }
  return false unless timestamp.match?(/\\A\\d+\\z/) && (Time.now.to_i - timestamp.to_i).abs <= 300

  key = secret.delete_prefix("whsec_").unpack1("m")
  own = "v1," + [OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.#{body}")].pack("m0")
  signatures.split(" ").any? { |sent| OpenSSL.secure_compare(own, sent) }
end`;

/** The samples of the page of webhooks. */
export const verifySamples = (): Sample[] => [
  { language: "node", code: NODE },
  { language: "python", code: PYTHON },
  { language: "php", code: PHP },
  { language: "go", code: GO },
  { language: "java", code: JAVA },
  { language: "ruby", code: RUBY },
];
