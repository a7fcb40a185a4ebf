// Scalars whose numbers may be of either type of JavaScript: number or bigint.

/** True for a number of either type. */
export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

/** True for equal scalars of one type; a number and a bigint are compared by their value, exactly. */
export function sameScalar(left: unknown, right: unknown): boolean {
  return left === right || (isNumber(left) && isNumber(right) && left <= right && left >= right);
}
