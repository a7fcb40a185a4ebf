// What a NetworkPolicy of Kubernetes must be so that Calico can make its own policy of it.
import { goPortError } from '../../text/go-port.ts';
import type { FieldPath } from '../field-path.ts';
import { kubernetesPolicyText, kubernetesRuleText } from './kubernetes-policy-text.ts';
import { problem, type RuleProblem } from './rule-problem.ts';

type Members = Readonly<Record<string, unknown>>;

const listOf = (value: unknown): readonly Members[] => (Array.isArray(value) ? value : []);
const isSet = (value: unknown): boolean => value !== undefined && value !== null;

/** A port of a rule in one text: `80`, `http`, or `80:90` for one with an `endPort`. */
export function kubernetesPort({ port, endPort }: Members): string {
  return isSet(endPort) ? `${port}:${endPort}` : String(port);
}

/** Why Calico has no such port, in its words; undefined for a port that it has, and for all ports. */
export function kubernetesPortProblem(port: Members): string | undefined {
  if (!isSet(port['port'])) return undefined;
  const text = kubernetesPort(port);
  const wrong = goPortError(text);
  return wrong && `failed to parse k8s port: invalid port ${text}: ${wrong}`;
}

interface BadRule {
  readonly path: FieldPath;
  /** The rule and what is wrong, as Go prints them. */
  readonly text: string;
}

function badRules(spec: Members, direction: 'ingress' | 'egress'): BadRule[] {
  return listOf(spec[direction]).flatMap((rule, index) => {
    const ports = listOf(rule['ports']);
    const at = ports.findIndex((port) => kubernetesPortProblem(port) !== undefined);
    if (at === -1) return [];
    const reason = `k8s rule couldn't be converted: ${kubernetesPortProblem(ports[at] as Members)}`;
    const path = ['spec', direction, index, 'ports', at];
    return [{ path, text: `${kubernetesRuleText(rule, direction)} (${reason})` }];
  });
}

/** The rules that Calico cannot convert; calicoctl lists them in one error. */
export function kubernetesRuleProblems(name: string, spec: Members): RuleProblem[] {
  const bad = [...badRules(spec, 'ingress'), ...badRules(spec, 'egress')];
  const [first] = bad;
  if (first === undefined) return [];
  const listed =
    bad.length === 1
      ? `error with rule ${first.text}`
      : `error with the following rules:\n${bad.map(({ text }) => `-  ${text}\n`).join('')}`;
  return [
    problem(first.path, 'must be a port from 0 to 65535, the name of one, or a range with the lower one first', {
      field: 'PolicySpec',
      value: `{${String(spec['stagedAction'] ?? '')} ${kubernetesPolicyText(spec)}}`,
      reason: `conversion to stagednetworkpolicy failed policy: ${name}: ${listed}`,
    }),
  ];
}
