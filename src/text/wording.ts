// Words that messages share: names of many things, and how many there are.

/** `10.0.0.1, 10.0.0.2 and 7 more`. */
export function listed(names: readonly string[], most = 5): string {
  const left = names.length - most;
  return names.slice(0, most).join(', ') + (left > 0 ? ` and ${left} more` : '');
}

/** `1 route`, `2 routes`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;
