// What the test pool, as of 0.23.0, wraps again and again in a runtime that test files share. Remove each function here
// once the pool wraps only once.

/** The name of the closure that only the pool's Proxy handler calls. */
const MARK = "getUnknownPrototypeKey";

const REAL = Symbol.for("dastak.test.proxy");
const FIRST = Symbol.for("dastak.test.invoke");

/**
 * Makes `new Proxy` return a prototype unchanged if the pool has wrapped it before. Idempotent. The pool wraps the
 * prototype of its entry class in another Proxy for every request and every object (cloudflare/workers-sdk#15092), and
 * each property access in workerd passes through all of them: four fifths of a test's time after a thousand requests.
 */
export function wrapPrototypesOnce(): void {
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

/** What Vitest asks its server through, kept with the function that the pool wrapped when the runtime's first file began. */
interface Runner {
  transport: { invoke: unknown; [FIRST]?: unknown };
}

/**
 * Takes away what the pool has wrapped around the module runner's `invoke` since the runtime's first file. It does so for
 * every file, and each layer is a request to the pool's own object at every call of an object: after 180 files, a call
 * took ten times as long.
 */
export function wrapInvokeOnce(): void {
  const { transport } = (Reflect.get(globalThis, "__vitest_mocker__") as { moduleRunner: Runner }).moduleRunner;
  transport[FIRST] ??= transport.invoke;
  transport.invoke = transport[FIRST];
}
