// How evidence is worded where it lists many things.

/** Longer lists are cut: a block can have thousands of ordinals. */
const listLimit = 20;

/** The values with commas, the first twenty of them, and how many more there are. */
export function listed(values: readonly (number | string)[]): string {
  const shown = values.slice(0, listLimit).join(', ');
  return values.length > listLimit ? `${shown} and ${values.length - listLimit} more` : shown;
}
