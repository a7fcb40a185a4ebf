// What a cluster serves of Calico: its API groups and, where there are two, what each holds and how far a migration is.
import { type CalicoApi, customResourceApi, storedIn, v3ApiVersion } from '../../resources/kind.ts';
import { clusterInformation } from '../../resources/kinds/cluster-information.ts';
import { ipPool } from '../../resources/kinds/ip-pool.ts';
import { parseJson } from '../../text/json.ts';
import { isObject } from '../../text/plain-values.ts';
import { type ApiHoldings, type CalicoApiFacts, migrationName } from '../calico-api.ts';
import { Deadline } from './deadline.ts';
import type { KubeHttp } from './kube-http.ts';

const migrationGroup = 'migration.projectcalico.org';
const crdOnly: CalicoApiFacts = { servesCrd: true, v3: 'none' };

interface Answer {
  readonly status: number;
  /** Empty for anything but a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The deadline of each request, and the longest time that the user allows for one. */
interface Times {
  readonly timeoutMs: number;
  readonly limitMs: number | undefined;
}

export class CalicoApiFinder {
  readonly #http: KubeHttp;
  readonly #signal: AbortSignal;
  readonly #times: Times;

  constructor(http: KubeHttp, signal: AbortSignal, times: Times) {
    this.#http = http;
    this.#signal = signal;
    this.#times = times;
  }

  /**
   * One request in a cluster with one API group of Calico, a few more where there are two. A server that does not list its
   * groups (to this user) is taken for one with crd.projectcalico.org/v1, as Calico does.
   * Errors: those of KubeHttp.send.
   */
  async facts(): Promise<CalicoApiFacts> {
    const { status, body } = await this.#get('/apis');
    const groups = itemsOf(body, 'groups');
    if (status !== 200 || groups === undefined) return crdOnly;
    const named = (name: string) => groups.find((group) => group['name'] === name);
    const servesCrd = named('crd.projectcalico.org') !== undefined;
    if (named('projectcalico.org') === undefined) return { servesCrd, v3: 'none' };
    if (!servesCrd) return { servesCrd, v3: await this.#formOfV3() };
    const migrations = named(migrationGroup);
    const [v3, phase] = await Promise.all([this.#formOfV3(), migrations && this.#phase(versionOf(migrations))]);
    if (v3 !== 'native') return { servesCrd, v3, phase };
    const [crd, native] = await Promise.all([this.#holdings(customResourceApi), this.#holdings(v3ApiVersion)]);
    return { servesCrd, v3, phase, crd, native };
  }

  /** By the rule of Calico's own client: the new API where it is the only one, else the old one, also without an answer. */
  async byGroupNames(): Promise<CalicoApi> {
    const answer = await this.#get('/apis').catch(() => undefined);
    const groups = itemsOf(answer?.body ?? {}, 'groups') ?? [];
    const has = (name: string): boolean => groups.some((group) => group['name'] === name);
    return has('projectcalico.org') && !has('crd.projectcalico.org') ? v3ApiVersion : customResourceApi;
  }

  /** CRDs hold blocks and no profiles; Calico's API server has profiles and no blocks. */
  async #formOfV3(): Promise<CalicoApiFacts['v3']> {
    const { status, body } = await this.#get(`/apis/${v3ApiVersion}`);
    const resources = itemsOf(body, 'resources');
    if (status !== 200 || resources === undefined) return 'unknown';
    return resources.some(({ name }) => name === 'ipamblocks') ? 'native' : 'aggregated';
  }

  async #phase(version: string): Promise<string | undefined> {
    const { status, body } = await this.#get(`/apis/${migrationGroup}/${version}/datastoremigrations/${migrationName}`);
    if (status !== 200) return undefined;
    const phase = isObject(body['status']) ? body['status']['phase'] : undefined;
    return typeof phase === 'string' ? phase : '';
  }

  async #holdings(calicoApi: CalicoApi): Promise<ApiHoldings> {
    const path = (plural: string): string => `/apis/${calicoApi}/${plural}`;
    const [information, pools] = await Promise.all([
      this.#get(path(`${storedIn(clusterInformation, calicoApi).api.plural}/default`)),
      this.#get(`${path(storedIn(ipPool, calicoApi).api.plural)}?limit=1`),
    ]);
    return { information: informationOf(information), hasPools: (itemsOf(pools.body, 'items') ?? []).length > 0 };
  }

  async #get(path: string): Promise<Answer> {
    const deadline = new Deadline(this.#times.timeoutMs, this.#signal, this.#times.limitMs);
    try {
      const response = await this.#http.send({ method: 'GET', path, deadline });
      return { status: response.status, body: objectOf(await this.#http.text(response, deadline)) };
    } finally {
      deadline.end();
    }
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = parseJson(text);
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

/** The objects in a list of the answer; undefined when it has no such list. */
function itemsOf(body: Readonly<Record<string, unknown>>, name: string): Record<string, unknown>[] | undefined {
  const items = body[name];
  return Array.isArray(items) ? items.filter(isObject) : undefined;
}

/** The version of the group to read: Calico 3.32 serves v1beta1, later releases v1 too. */
function versionOf(group: Readonly<Record<string, unknown>>): string {
  const versions = (itemsOf(group, 'versions') ?? []).map(({ version }) => version);
  return versions.includes('v1') || versions.length === 0 ? 'v1' : String(versions[0]);
}

function informationOf({ status, body }: Answer): ApiHoldings['information'] {
  if (status === 404) return undefined;
  const { spec } = body;
  if (status !== 200) return 'unreadable';
  const { datastoreReady, calicoVersion } = isObject(spec) ? spec : {};
  return {
    isReady: datastoreReady !== false,
    version: typeof calicoVersion === 'string' && calicoVersion !== '' ? calicoVersion : undefined,
  };
}
