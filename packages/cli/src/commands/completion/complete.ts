import type { Argument, Command, Option } from 'commander'

/** The position of the cursor: the command, the option or argument to complete, and the options so far. */
export interface Position {
  readonly command: Command
  /** The option or argument that the current word is the value of. */
  readonly of: Option | Argument | undefined
  /** The values of the options so far, by attribute; empty strings for flags. */
  readonly options: Readonly<Record<string, string>>
  /** The number of arguments before the current word. */
  readonly argumentCount: number
}

/** Parses the words before the current one. */
function positionAfter(program: Command, words: readonly string[]): Position {
  let command = program
  let pending: Option | undefined
  let argumentCount = 0
  const options: Record<string, string> = {}
  for (const word of words) {
    // Some shells split words at `=` and pass it as a word.
    if (word === '=') continue
    if (pending !== undefined) {
      options[pending.attributeName()] = word
      pending = undefined
    } else if (word.startsWith('-')) {
      const [flag, value] = splitOption(word)
      const option = optionOf(command, flag)
      if (option !== undefined && value !== undefined) options[option.attributeName()] = value
      else if (option?.required === true) pending = option
      else if (option !== undefined) options[option.attributeName()] = ''
    } else {
      const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
      command = next ?? command
      argumentCount = next === undefined ? argumentCount + 1 : 0
    }
  }
  return { command, of: pending ?? argumentAt(command, argumentCount), options, argumentCount }
}

function splitOption(word: string): [string, string | undefined] {
  const at = word.indexOf('=')
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}

function optionOf(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => long === flag || short === flag)
}

function argumentAt({ registeredArguments }: Command, index: number): Argument | undefined {
  const last = registeredArguments.at(-1)
  return registeredArguments[index] ?? (last?.variadic === true ? last : undefined)
}

/** Finds values on a hub or in a kubeconfig. */
export type ValueFinder = (name: string, options: Position['options']) => Promise<readonly string[]>

/** Candidates for the current word. If there are none, the shell completes file names. */
export async function completions(
  program: Command,
  words: readonly string[],
  findValues: ValueFinder,
): Promise<string[]> {
  const current = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { command, of, options, argumentCount } = positionAfter(program, before)
  const isValue = of !== undefined && 'long' in of
  if (!isValue && current.startsWith('-')) {
    const [flag, value] = splitOption(current)
    const option = value === undefined ? undefined : optionOf(command, flag)
    if (option === undefined || value === undefined) return startingWith(current, flagsOf(command))
    return (await valuesFor(option, value, options, findValues)).map((one) => `${flag}=${one}`)
  }
  if (of !== undefined) return valuesFor(of, current === '=' ? '' : current, options, findValues)
  if (argumentCount > 0) return []
  const children = command.createHelp().visibleCommands(command)
  const names = children.map((one) => one.name()).filter((name) => name !== 'help' || command === program)
  return startingWith(current, names)
}

function flagsOf({ options }: Command): string[] {
  return [...options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []), '--help']
}

/** In a comma-separated list, the last name is completed. */
async function valuesFor(
  of: Option | Argument,
  current: string,
  options: Position['options'],
  findValues: ValueFinder,
): Promise<string[]> {
  if (of.argChoices !== undefined) return startingWith(current, of.argChoices)
  const name = 'long' in of ? (of.long ?? '') : of.name()
  const values = await findValues(name, options)
  const comma = current.lastIndexOf(',') + 1
  const given = current.slice(0, comma).split(',')
  const fresh = values.filter((value) => !given.includes(value))
  return startingWith(current.slice(comma), fresh).map((value) => current.slice(0, comma) + value)
}

function startingWith(text: string, values: readonly string[]): string[] {
  return values.filter((value) => value.startsWith(text))
}
