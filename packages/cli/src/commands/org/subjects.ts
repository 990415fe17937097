import type { OrganizationSubject } from '@orrery/ovim'
import { InvalidArgumentError } from 'commander'

/** Collects members: `alice`, `group:developers`, `serviceaccount:namespace/name`. */
export function memberList(text: string, before: readonly OrganizationSubject[] = []): readonly OrganizationSubject[] {
  return [...before, ...text.split(',').map((one) => memberOf(one.trim()))]
}

function memberOf(text: string): OrganizationSubject {
  const [, kind = '', rest = text] = /^(user|group|serviceaccount|sa):(.*)$/.exec(text) ?? []
  if (rest === '') throw new InvalidArgumentError('Use USER, group:NAME or serviceaccount:NAMESPACE/NAME.')
  if (kind === 'group') return { kind: 'Group', name: rest }
  if (kind !== 'serviceaccount' && kind !== 'sa') return { kind: 'User', name: rest }
  const [namespace = '', name = '', ...more] = rest.split('/')
  if (namespace === '' || name === '' || more.length > 0) {
    throw new InvalidArgumentError('Use serviceaccount:NAMESPACE/NAME.')
  }
  return { kind: 'ServiceAccount', namespace, name }
}

/** A member as in the options. */
export function memberText({ kind, name, namespace }: OrganizationSubject): string {
  if (kind === 'ServiceAccount') return `serviceaccount:${namespace}/${name}`
  return kind === 'Group' ? `group:${name}` : name
}

export function isSameMember(one: OrganizationSubject, other: OrganizationSubject): boolean {
  return memberText(one) === memberText(other)
}
