// docs/commands/<command>.md as the register of commands says it, around the prose that is written by hand.
import { type Command, exitCodeMeanings } from '../../../src/commands/command.ts';
import { flagName, type ParameterSpec } from '../../../src/commands/parameters.ts';

const begin = '<!-- prose -->';
const end = '<!-- end of prose -->';

/** The prose of a page, which the generator keeps as it is. */
export function proseOf(page: string): string {
  const [, prose = ''] = new RegExp(`${begin}\n([\\s\\S]*?)${end}`).exec(page) ?? [];
  return prose;
}

function argumentText({ placeholder = '', required, repeatable }: ParameterSpec): string {
  const name = repeatable ? `${placeholder}...` : placeholder;
  return required ? name : `[${name}]`;
}

/** `calictl ipam affinity claim CIDR --node NODE [flags]`. */
function usageLine({ path, args, flags }: Command): string {
  const positional = Object.values(args).map(({ spec }) => argumentText(spec));
  const required = Object.entries(flags).flatMap(([key, { spec }]) =>
    spec.required ? [`--${flagName(key)} ${spec.placeholder}`] : [],
  );
  return ['calictl', ...path, ...positional, ...required, '[flags]'].join(' ');
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

function flagRow(key: string, { short, placeholder, about, choices, repeatable, default: standard }: ParameterSpec) {
  const letter = short === undefined ? '' : `-${short}, `;
  const value = placeholder === undefined ? '' : ` ${placeholder}`;
  const values = choices === undefined ? '' : `: ${choices.map((choice) => `\`${choice}\``).join(', ')}`;
  const often = repeatable ? '; may be repeated' : '';
  return `| \`${cell(`${letter}--${flagName(key)}${value}`)}\` | ${cell(`${about}${values}${often}`)} | ${standard === undefined ? '' : `\`${standard}\``} |`;
}

/** The whole page. */
export function commandPage(command: Command, prose: string): string {
  const { path, summary, description, examples, args, flags } = command;
  const parts = [
    `# calictl ${path.join(' ')}`,
    `${summary}.`,
    `\`\`\`\n${usageLine(command)}\n\`\`\``,
    ...(description === undefined ? [] : [description]),
    `## Examples\n\n\`\`\`\n${examples.map(({ command: line, about }) => `# ${about}\n${line}`).join('\n\n')}\n\`\`\``,
    ...(prose.trim() === '' ? [] : [`${begin}\n${prose}${end}`]),
  ];
  const positional = Object.values(args).map(({ spec }) => `| \`${argumentText(spec)}\` | ${cell(spec.about)} |`);
  if (positional.length > 0) {
    parts.push(`## Arguments\n\n| argument | meaning |\n|---|---|\n${positional.join('\n')}`);
  }
  const rows = Object.entries(flags).map(([key, { spec }]) => flagRow(key, spec));
  if (rows.length > 0) {
    parts.push(
      `## Flags\n\nThe [global flags](../reference/configuration.md) also apply.\n\n| flag | meaning | default |\n|---|---|---|\n${rows.join('\n')}`,
    );
  }
  const codes = Object.entries(exitCodeMeanings(command)).map(([code, meaning]) => `| ${code} | ${meaning} |`);
  parts.push(`## Exit codes\n\n| code | meaning |\n|---|---|\n${codes.join('\n')}`);
  return `${parts.join('\n\n')}\n`;
}
