import { badRequest } from '@orrery/kinds/values'

/** The position of a paged list. */
export interface ContinueToken {
  /** The revision of the whole list; -1 means the newest after the old one was compacted. */
  readonly revision: number
  readonly after: { readonly namespace: string; readonly name: string }
}

interface TokenJson {
  v?: unknown
  rv?: unknown
  start?: unknown
}

export function encodeContinue(token: ContinueToken): string {
  const start = `${token.after.namespace}/${token.after.name}\u0000`
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: token.revision, start })).toString('base64url')
}

/** Throws a 400 for an invalid token. */
export function decodeContinue(text: string): ContinueToken {
  let token: TokenJson
  try {
    token = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as TokenJson
  } catch {
    throw notValid('the token is not base64-encoded JSON')
  }
  if (token?.v !== 'meta.k8s.io/v1') throw notValid('the server does not recognize this encoded version')
  if (typeof token.rv !== 'number' || !Number.isSafeInteger(token.rv) || token.rv === 0 || token.rv < -1) {
    throw notValid('incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  }
  if (typeof token.start !== 'string') throw notValid('encoded start key is empty (version meta.k8s.io/v1)')
  const slash = token.start.indexOf('/')
  if (slash < 0) throw notValid('the start key has no namespace part')
  const name = token.start.slice(slash + 1)
  const after = { namespace: token.start.slice(0, slash), name: name.endsWith('\0') ? name.slice(0, -1) : name }
  return { revision: token.rv, after }
}

function notValid(why: string) {
  return badRequest(`invalid continue token: continue key is not valid: ${why}`)
}
