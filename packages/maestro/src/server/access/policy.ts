import { createHash, timingSafeEqual } from 'node:crypto'
import type { Caller } from './access.js'

/** Allows callers to use verbs on paths. An empty list matches nothing. */
export interface PolicyRule {
  readonly users: readonly string[]
  readonly groups: readonly string[]
  readonly verbs: readonly string[]
  /** A `*` at the end matches every rest. */
  readonly paths: readonly string[]
}

/** A token that is known by its SHA-256, so that the file has no secret. */
export interface PolicyToken extends Caller {
  readonly sha256: Buffer
}

/** Who may do what, for servers without a Kubernetes API. */
export interface Policy {
  readonly rules: readonly PolicyRule[]
  readonly tokens: readonly PolicyToken[]
}

export function policyAllows({ rules }: Policy, { user, groups }: Caller, verb: string, path: string): boolean {
  return rules.some(
    (rule) =>
      (matches(rule.users, user) || groups.some((group) => matches(rule.groups, group))) &&
      matches(rule.verbs, verb) &&
      matches(rule.paths, path),
  )
}

function matches(patterns: readonly string[], text: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : pattern === text))
}

/** The caller of an `Authorization` header with a token of the policy. */
export function callerOfToken({ tokens }: Policy, authorization: string): Caller | undefined {
  const [, token] = /^bearer +(\S+)$/i.exec(authorization) ?? []
  if (token === undefined) return undefined
  const digest = createHash('sha256').update(token).digest()
  const found = tokens.find(({ sha256 }) => timingSafeEqual(sha256, digest))
  return found && { user: found.user, groups: found.groups }
}

/** Reads a policy. Throws an error that names the member and what it must be. */
export function parsePolicy(value: unknown): Policy {
  const root = membersOf(value, 'the policy', ['rules', 'tokens'])
  return {
    rules: listOf(root.rules, 'rules').map((rule, index) => parseRule(rule, `rules[${index}]`)),
    tokens: listOf(root.tokens, 'tokens').map((token, index) => parseToken(token, `tokens[${index}]`)),
  }
}

function parseRule(value: unknown, place: string): PolicyRule {
  const rule = membersOf(value, place, ['users', 'groups', 'verbs', 'paths'])
  const texts = (name: string) => listOf(rule[name], `${place}.${name}`).map((one) => textOf(one, `${place}.${name}`))
  const parsed = { users: texts('users'), groups: texts('groups'), verbs: texts('verbs'), paths: texts('paths') }
  if (parsed.users.length + parsed.groups.length === 0) throw new Error(`${place} needs users or groups`)
  if (parsed.verbs.length === 0)
    throw new Error(`${place}.verbs is empty: use pub, sub, get, post, patch, delete or "*"`)
  if (parsed.paths.length === 0) throw new Error(`${place}.paths is empty: use for example "/sources/*"`)
  const relative = parsed.paths.find((path) => !path.startsWith('/') && path !== '*')
  if (relative !== undefined) throw new Error(`${place}.paths: ${JSON.stringify(relative)} must begin with "/"`)
  return parsed
}

function parseToken(value: unknown, place: string): PolicyToken {
  const { user, groups, sha256 } = membersOf(value, place, ['user', 'groups', 'sha256'])
  const hex = textOf(sha256, `${place}.sha256`)
  if (!/^[0-9a-f]{64}$/i.test(hex)) throw new Error(`${place}.sha256 must be the SHA-256 of the token, 64 hex digits`)
  return {
    user: textOf(user, `${place}.user`),
    groups: listOf(groups, `${place}.groups`).map((group) => textOf(group, `${place}.groups`)),
    sha256: Buffer.from(hex, 'hex'),
  }
}

function membersOf(value: unknown, place: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${place} must be an object`)
  const unknown = Object.keys(value).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`${place} has no member "${unknown}": use ${known.join(', ')}`)
  return value as Record<string, unknown>
}

function listOf(value: unknown, place: string): readonly unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw new Error(`${place} must be a list`)
  return value
}

function textOf(value: unknown, place: string): string {
  if (typeof value !== 'string' || value === '') throw new Error(`${place} must be a text that is not empty`)
  return value
}
