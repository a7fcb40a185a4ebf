// Which API groups of Calico a server has: where a kind is missing, or pools are, the reason may be that another group has it.
import { customResourceGroup } from '../../resources/kind.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { exitCodes } from '../../world/errors.ts';
import { DatastoreError } from '../datastore.ts';
import { Deadline } from './deadline.ts';
import type { KubeHttp } from './kube-http.ts';

const otherGroup = 'projectcalico.org';
const timeoutMs = 10_000;

export class ApiGroups {
  readonly #http: KubeHttp;
  readonly #signal: AbortSignal;
  #reason: Promise<DatastoreError | undefined> | undefined;

  constructor(http: KubeHttp, signal: AbortSignal) {
    this.#http = http;
    this.#signal = signal;
  }

  /**
   * Why the server does not hold Calico's objects in crd.projectcalico.org: they are native objects of projectcalico.org/v3
   * (Calico 3.32), or there is no Calico. Undefined when neither is so, or when the server does not say.
   */
  reason(): Promise<DatastoreError | undefined> {
    this.#reason ??= this.#find();
    return this.#reason;
  }

  /** Errors: the reason, when Calico's objects are native ones of another group. */
  async refuseOthers(): Promise<void> {
    const reason = await this.reason();
    if (reason !== undefined) throw reason;
  }

  async #find(): Promise<DatastoreError | undefined> {
    const groups = await this.#names('/apis', 'groups');
    if (groups === undefined) return undefined;
    const { origin } = this.#http.server;
    if (groups.includes(otherGroup)) {
      // Calico's own API server has this group too, but never blocks in it.
      const resources = await this.#names(`/apis/${otherGroup}/v3`, 'resources');
      if (resources?.includes('ipamblocks')) {
        return new DatastoreError('unsupported', `${origin} keeps Calico's objects as CRDs of ${otherGroup}/v3`, {
          exit: exitCodes.refused,
          hint: `This version of calictl reads and writes only ${customResourceGroup}; use calicoctl v3.32 or newer there.`,
        });
      }
    }
    if (groups.includes(customResourceGroup)) return undefined;
    return new DatastoreError('unsupported', `${origin} serves no API group ${customResourceGroup}`, {
      code: 'NO_CALICO',
      hint: 'Calico is not installed in this cluster, or keeps its objects in etcd; check the context with --context.',
    });
  }

  /** The names in a list of the response; undefined when there is no usable response. */
  async #names(path: string, list: 'groups' | 'resources'): Promise<readonly string[] | undefined> {
    const deadline = new Deadline(timeoutMs, this.#signal);
    try {
      const response = await this.#http.send({ method: 'GET', path, deadline });
      const found: unknown = parseJson(await this.#http.text(response, deadline));
      const items = isObject(found) ? found[list] : undefined;
      if (response.status !== 200 || !Array.isArray(items)) return undefined;
      return items.flatMap((item: unknown) =>
        isObject(item) && typeof item['name'] === 'string' ? [item['name']] : [],
      );
    } catch {
      this.#signal.throwIfAborted();
      return undefined;
    } finally {
      deadline.end();
    }
  }
}
