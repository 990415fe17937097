import type { ScalarTag, Tags } from 'yaml'

const INTEGER = 'tag:yaml.org,2002:int'
const FLOAT = 'tag:yaml.org,2002:float'

/** What YAML 1.1 knows and JSON does not: kubectl takes dates for texts, and hardly anybody means the others. */
const UNKNOWN_TO_JSON = ['binary', 'omap', 'pairs', 'set', 'timestamp'].map((name) => `tag:yaml.org,2002:${name}`)

/** Octal numbers as YAML 1.2 writes them. */
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
    onError(`${text} is a number that objects of Kubernetes cannot hold; write it in quotes if it is a text`)
    return text
  },
}

/** How the values of a text are read: as kubectl does, to whom `22:22` is a text and not a number to the base of 60. */
function kubectlTags(tags: Tags): Tags {
  const kept = tags.filter(
    (tag) =>
      typeof tag === 'string' || !(UNKNOWN_TO_JSON.includes(tag.tag) || ('format' in tag && tag.format === 'TIME')),
  )
  return [OCTAL, NOT_FINITE, ...kept]
}

/** The values of all documents of a text. What cannot be read is an error that begins with the name of the file. */
export async function parseDocuments(text: string, file: string): Promise<unknown[]> {
  const { parseAllDocuments } = await import('yaml')
  // As kubectl reads it: `on` and `yes` are true, and a key twice is an error.
  const documents = parseAllDocuments(text, { version: '1.1', customTags: kubectlTags })
  if ('empty' in documents) return []
  return documents.map((document) => {
    // What is only warned of is a tag that nobody knows: the value would be another than is meant.
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
  if (line.startsWith('Maximum call stack')) return new Error(`${file}: it is nested too deeply`)
  if (line.startsWith('Excessive alias count')) {
    return new Error(`${file}: its aliases stand for more than can be read: write out what they stand for`)
  }
  return new Error(`${file}: ${line.replace(/:$/, '')}`)
}
