import type { Carrier } from "./carrier.ts";
import type { Fault } from "./faults.ts";
import type { Log } from "./log.ts";
import { randomOf, shuffled } from "./random.ts";
import type { Service } from "./service.ts";

// Carries out the plan of faults, and logs when each begins and ends.

export interface HarmerOptions {
  service: Service;
  carrier: Carrier;
  seed: string;
  ids: string[];
  log: Log;
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export class Harmer {
  readonly #options: HarmerOptions;
  /** Restarts run one at a time. */
  #before: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: HarmerOptions) {
    this.#options = options;
  }

  /** Carries out one fault; resolves when it is over. */
  async do(fault: Fault): Promise<void> {
    const { log } = this.#options;
    const id = (this.#count += 1);
    const { atMs: _, ...what } = fault;
    const work = async () => {
      log.append({ t: "begin", id, ...what });
      await this.#harm(fault, id);
      log.append({ t: "end", id });
    };
    if (fault.kind !== "kill" && fault.kind !== "term") return work();
    await (this.#before = this.#before.then(work));
  }

  async #harm(fault: Fault, id: number): Promise<void> {
    const { service, carrier } = this.#options;
    switch (fault.kind) {
      case "kill":
        await service.kill();
        return service.start();
      case "term":
        await service.terminate();
        return service.start();
      case "evict":
        return service.evict(this.#some(id, fault.share));
      case "break_off":
        return service.breakOff(this.#some(id, fault.share));
      case "clock":
        return service.setClock(fault.toMs);
      case "d1":
        await service.harm({ d1: fault.how });
        await pause(fault.lastsMs);
        return service.harm({ d1: null });
      case "queue":
        await service.harm({ [fault.queue]: fault.how });
        await pause(fault.lastsMs);
        return service.harm({ [fault.queue]: null });
      case "carrier_away":
        await carrier.close();
        await pause(fault.lastsMs);
        return carrier.listen();
    }
  }

  /** The accounts that a fault affects. */
  #some(id: number, share: number): string[] {
    const { ids, seed } = this.#options;
    return shuffled(randomOf(seed, "met by", id), ids).slice(0, Math.ceil(ids.length * share));
  }
}
