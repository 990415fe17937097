import { CLUSTER_FIELDS, CONTEXT_FIELDS, checkFields, EXEC_FIELDS, isMap, USER_FIELDS } from './fields.js'
import { type Cluster, type Context, type Entry, type Kubeconfig, KubeconfigError, type User } from './types.js'

/** Parses the text of one kubeconfig, JSON or YAML. `file` is its origin, for errors. */
export async function parseKubeconfig(text: string, file?: string): Promise<Kubeconfig> {
  const root = (await contentOf(text, file)) ?? {}
  if (!isMap(root)) throw new KubeconfigError(file, 'not a kubeconfig: the top level must be a map')
  if (![undefined, null, '', 'Config'].includes(root.kind as string)) {
    throw new KubeconfigError(file, `not a kubeconfig: kind is ${JSON.stringify(root.kind)}, not "Config"`)
  }
  if (![undefined, null, '', 'v1'].includes(root.apiVersion as string)) {
    throw new KubeconfigError(file, `apiVersion ${JSON.stringify(root.apiVersion)} is not supported: use "v1"`)
  }
  checkFields(root, { 'current-context': 'string' }, file, 'kubeconfig')
  const current = root['current-context'] as string | null | undefined
  const users = entriesOf<User>(root, 'users', 'user', file)
  for (const { name, value } of users.values()) checkUser(value, file, `user ${JSON.stringify(name)}`)
  return {
    files: file === undefined ? [] : [file],
    currentContext: current || undefined,
    clusters: entriesOf<Cluster>(root, 'clusters', 'cluster', file),
    users,
    contexts: entriesOf<Context>(root, 'contexts', 'context', file),
  }
}

/** JSON is YAML, but parses much faster without the YAML library. */
async function contentOf(text: string, file: string | undefined): Promise<unknown> {
  if (text.trimStart().startsWith('{')) {
    try {
      return JSON.parse(text)
    } catch {
      // YAML may begin with a brace, too.
    }
  }
  const { parse, YAMLParseError } = await import('yaml')
  try {
    return parse(text, { version: '1.1', logLevel: 'error', prettyErrors: false })
  } catch (error) {
    const line = error instanceof YAMLParseError ? ` at line ${lineOf(text, error.pos[0])}` : ''
    // The original error quotes the text, which may contain secrets.
    throw new KubeconfigError(file, `neither YAML nor JSON${line}`)
  }
}

function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length
}

const FIELDS = { cluster: CLUSTER_FIELDS, user: USER_FIELDS, context: CONTEXT_FIELDS }

function entriesOf<T extends object>(
  root: Readonly<Record<string, unknown>>,
  list: string,
  field: keyof typeof FIELDS,
  file: string | undefined,
): Map<string, Entry<T>> {
  const entries = new Map<string, Entry<T>>()
  const items = root[list] ?? []
  if (!Array.isArray(items)) throw new KubeconfigError(file, `${list} must be a list`)
  for (const item of items as unknown[]) {
    if (!isMap(item) || typeof item.name !== 'string') {
      throw new KubeconfigError(file, `${list}: every item must have a name, in quotes if it is a number`)
    }
    const { name } = item
    const entry = `${field} ${JSON.stringify(name)}`
    const value = item[field] ?? {}
    if (!isMap(value)) throw new KubeconfigError(file, `${entry}: must be a map`)
    checkFields(value, FIELDS[field], file, entry)
    if (entries.has(name)) throw new KubeconfigError(file, `${entry} exists twice: remove or rename one`)
    entries.set(name, { name, value: withoutNulls(value) as T, file })
  }
  return entries
}

function withoutNulls(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null))
}

function checkUser(user: User, file: string | undefined, entry: string): void {
  if (!everyString(user['as-groups'])) throw new KubeconfigError(file, `${entry}: as-groups must be a list of strings`)
  if (!Object.values(user['as-user-extra'] ?? {}).every((values) => Array.isArray(values) && everyString(values))) {
    throw new KubeconfigError(file, `${entry}: as-user-extra must be a map of lists of strings`)
  }
  const { exec } = user
  if (exec === undefined) return
  checkFields({ ...exec }, EXEC_FIELDS, file, `${entry}: exec`)
  if (!everyString(exec.args)) {
    throw new KubeconfigError(file, `${entry}: exec: args must be a list of strings: put numbers in quotes`)
  }
  for (const variable of exec.env ?? []) {
    if (!isMap(variable) || !isText(variable.name) || typeof (variable.value ?? '') !== 'string') {
      throw new KubeconfigError(file, `${entry}: exec: every item of env must have a name and a value, both strings`)
    }
  }
}

function everyString(values: readonly unknown[] | null | undefined): boolean {
  return (values ?? []).every((value) => typeof value === 'string')
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}
