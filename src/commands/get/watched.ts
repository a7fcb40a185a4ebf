// Objects and their changes as they happen: what --watch prints.
import type { WatchBatch, WatchEvent } from '../../datastore/datastore.ts';
import { liveTable } from '../../output/columns.ts';
import { orderKeys } from '../../resources/field-order.ts';
import { printJson } from '../../text/json.ts';
import { printYaml } from '../../text/yaml.ts';
import { documentOf } from './documents.ts';
import type { WatchResult } from './query-result.ts';
import { columnsOf, nameLine, rowOf, type TableFormat } from './tables.ts';
import { safeText } from './templates.ts';

const wordOf = ({ type }: WatchEvent): string => type.toUpperCase();

/** The objects that there are, as one batch (empty for none), then each change. */
async function* wholeBatches(batches: AsyncIterable<WatchBatch>): AsyncIterable<readonly WatchEvent[]> {
  let initial: WatchEvent[] | undefined = [];
  for await (const { events, isWhole } of batches) {
    initial?.push(...events);
    if (initial === undefined) yield events;
    else if (isWhole) {
      yield initial;
      initial = undefined;
    }
  }
}

/** A table that grows: a row for each object that there is, then one for each change. */
export async function* watchedTable(result: WatchResult, format: TableFormat): AsyncIterable<string> {
  const { kind, batches, withEvents } = result.watched;
  const columns = columnsOf(kind, format, result.table);
  const named = columns.map(({ heading }) => heading);
  const headings = withEvents ? ['EVENT', ...named] : named;
  const related = await result.related(kind);
  const rowsOf = async function* (): AsyncIterable<string[][]> {
    for await (const events of wholeBatches(batches)) {
      yield events.map((event) => {
        const row = rowOf(columns, event.object, related);
        return withEvents ? [wordOf(event), ...row] : row;
      });
    }
  };
  yield* liveTable(result.table.withoutHeadings ? undefined : headings, rowsOf());
}

type EventText = (event: WatchEvent) => string;

function eventTextOf(result: WatchResult, format: 'yaml' | 'json' | 'name' | 'template'): EventText {
  const { kind, withEvents } = result.watched;
  switch (format) {
    case 'name':
      return (event) => `${withEvents ? `${wordOf(event)} ` : ''}${nameLine(kind, event.object)}`;
    case 'template':
      return ({ object }) => safeText(result.template?.(orderKeys(kind, object)) ?? []);
    default:
      return (event) => {
        const { object } = event;
        if (!withEvents) return `${format === 'yaml' ? '---\n' : ''}${documentOf({ kind, object }, format)}`;
        const shown = { type: wordOf(event), object: orderKeys(kind, object) };
        if (format === 'yaml') return `---\n${printYaml(shown)}`;
        return `${printJson(shown, { indent: 2, goEscapes: true })}\n`;
      };
  }
}

/** One document, name or text for each object that there is, then for each change. */
export async function* watchedTexts(
  result: WatchResult,
  format: 'yaml' | 'json' | 'name' | 'template',
): AsyncIterable<string> {
  const textOf = eventTextOf(result, format);
  for await (const { events } of result.watched.batches) {
    if (events.length > 0) yield events.map(textOf).join('');
  }
}
