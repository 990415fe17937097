import type { ScalarTag, Tags } from 'yaml'

const INTEGER = 'tag:yaml.org,2002:int'
const FLOAT = 'tag:yaml.org,2002:float'

/** YAML 1.1 types without a JSON equivalent. kubectl reads dates as strings, and the other types are hardly used. */
const UNKNOWN_TO_JSON = ['binary', 'omap', 'pairs', 'set', 'timestamp'].map((name) => `tag:yaml.org,2002:${name}`)

/** Octal numbers in YAML 1.2 syntax. */
const OCTAL: ScalarTag = {
  tag: INTEGER,
  default: true,
  test: /^[-+]?0o[0-7]+$/,
  resolve: (text) => Number(text.replace(/^[-+]/, '')) * (text.startsWith('-') ? -1 : 1),
}

const NOT_FINITE: ScalarTag = {
  tag: FLOAT,
  default: true,
  test: /^(?:[-+]?\.(?:inf|Inf|INF)|\.nan|\.NaN|\.NAN)$/,
  resolve(text, onError) {
    onError(`${text} is not a valid number in a Kubernetes object: quote it if it is a string`)
    return text
  },
}

/** The tags that kubectl uses: `22:22` is a string, not a base-60 number. */
function kubectlTags(tags: Tags): Tags {
  const kept = tags.filter(
    (tag) =>
      typeof tag === 'string' || !(UNKNOWN_TO_JSON.includes(tag.tag) || ('format' in tag && tag.format === 'TIME')),
  )
  return [OCTAL, NOT_FINITE, ...kept]
}

/** Parses all documents of a text. Errors begin with the file name. */
export async function parseDocuments(text: string, file: string): Promise<unknown[]> {
  const { parseAllDocuments } = await import('yaml')
  // The rules of kubectl: `on` and `yes` are true, and a duplicate key is an error.
  const documents = parseAllDocuments(text, { version: '1.1', customTags: kubectlTags })
  if ('empty' in documents) return []
  return documents.map((document) => {
    // The only warnings are unknown tags, whose values would be wrong.
    const [problem] = [...document.errors, ...document.warnings]
    if (problem !== undefined) throw problemIn(file, problem)
    try {
      return document.toJS() as unknown
    } catch (error) {
      throw problemIn(file, error as Error)
    }
  })
}

function problemIn(file: string, { message }: Error): Error {
  const [line = ''] = message.split('\n')
  if (line.startsWith('Maximum call stack')) return new Error(`${file}: nested too deeply`)
  if (line.startsWith('Excessive alias count')) {
    return new Error(`${file}: too many aliases: replace them with their values`)
  }
  return new Error(`${file}: ${line.replace(/:$/, '')}`)
}
