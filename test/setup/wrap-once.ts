// The test pool, as of 0.23.0, wraps the prototype of its entry class in another Proxy for every request and every
// object (cloudflare/workers-sdk#15092). Each property access in workerd then passes through all of them: after a
// thousand requests that takes four fifths of a test's time. Remove this file once the pool wraps only once.

/** The name of the closure that only the pool's Proxy handler calls. */
const MARK = "getUnknownPrototypeKey";

const REAL = Symbol.for("dastak.test.proxy");

/** Makes `new Proxy` return a prototype unchanged if the pool has wrapped it before. Idempotent. */
export function wrapOnce(): void {
  if (Reflect.has(Proxy, REAL)) return;
  const wrapped = new WeakSet<object>();
  const once = new Proxy(Proxy, {
    construct(RealProxy, [target, handler]: [object, ProxyHandler<object>]) {
      if (wrapped.has(target)) return target;
      const made = new RealProxy(target, handler);
      if (String(Reflect.get(handler, "get")).includes(MARK)) wrapped.add(made);
      return made;
    },
    has: (target, key) => key === REAL || Reflect.has(target, key),
  });
  globalThis.Proxy = once;
}
