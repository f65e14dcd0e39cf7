// The test pool, as of 0.23.0, wraps the prototype of its entry class into one more Proxy for every request and every
// object (cloudflare/workers-sdk#15092). Each property that workerd then reads walks through all of them: after a
// thousand requests that is four fifths of a test's time. This is to go when the pool wraps once by itself.

/** The name of the closure that the pool's handler calls; no other handler has it. */
const MARK = "getUnknownPrototypeKey";

const REAL = Symbol.for("dastak.test.proxy");

/** Makes `new Proxy` leave a prototype alone that the pool has wrapped before. Does nothing when called again. */
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
