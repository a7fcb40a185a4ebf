// Comma-separated values.

/** RFC 4180: quotes where a comma, a quote or a line end stands in a field; a leading formula sign is defused. */
export function csvLine(fields: readonly unknown[]): string {
  const cells = fields.map((field) => {
    const text = String(field ?? '').replace(/^(?=[=+\-@\t\r])/, "'");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  });
  return `${cells.join(',')}\n`;
}
