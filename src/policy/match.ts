// Whether something applies: yes, no, or not known because something was not read or not said. What is not known is never
// taken for a no: it carries its reason up to the verdict.

/** Not known, and why: `the labels of namespace shop were not read`. */
export interface Unsure {
  readonly because: string;
}

export type Match = boolean | Unsure;

/** Why a rule about ports does not decide. */
export const noPort = 'a port decides, and none was specified: use --port';

export function isUnsure(match: Match): match is Unsure {
  return typeof match === 'object';
}

/** No if one of them is no, whatever is not known; else the first that is not known; else yes. */
export function allOf(...matches: readonly Match[]): Match {
  if (matches.includes(false)) return false;
  return matches.find(isUnsure) ?? true;
}

/** Yes if one of them is yes, whatever is not known; else the first that is not known; else no. */
export function anyOf(matches: readonly Match[]): Match {
  if (matches.includes(true)) return true;
  return matches.find(isUnsure) ?? false;
}

export function not(match: Match): Match {
  return isUnsure(match) ? match : !match;
}
