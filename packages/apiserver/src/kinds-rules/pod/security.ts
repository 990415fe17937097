import type { JsonObject } from '@orrery/kinds'
import {
  type FieldError,
  fieldDuplicate,
  fieldForbidden,
  fieldInvalid,
  fieldNotSupported,
  fieldRequired,
  indexPath,
} from '@orrery/kinds/values'
import { between, type Check, type StructCheck, strictlyOneOf, struct } from '../check.js'
import { relativePath } from '../paths.js'
import { childOf, flagOf, has, structsOf, textOf, textsOf } from '../read.js'

const id = between(0, 2 ** 31 - 1)
const PROFILES = ['Localhost', 'RuntimeDefault', 'Unconfined']
const SYSCTL_PATTERN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$'
const SYSCTL_MAX = 253

/** A seccomp or AppArmor profile: `what` is its name in messages. */
function profile(what: 'seccomp' | 'AppArmor'): Check {
  return (value, at, errors) => {
    const confined = value as JsonObject
    const type = textOf(confined, 'type')
    const name = what === 'seccomp' ? 'seccompProfile' : 'appArmorProfile'
    if (type === '') errors.push(fieldRequired(`${at}.type`, `type is required when ${name} is set`))
    else if (!PROFILES.includes(type)) errors.push(fieldNotSupported(`${at}.type`, type, PROFILES))
    const path = `${at}.localhostProfile`
    if (type === 'Localhost') {
      if (!has(confined, 'localhostProfile')) {
        errors.push(fieldRequired(path, `must be set when ${what} type is Localhost`))
      } else if (what === 'seccomp') relativePath(confined.localhostProfile, path, errors)
    } else if (has(confined, 'localhostProfile')) {
      errors.push(
        fieldInvalid(path, textOf(confined, 'localhostProfile'), `can only be set when ${what} type is Localhost`),
      )
    }
  }
}

/** `securityContext` of a pod. */
export const podSecurity: StructCheck = struct({
  'fsGroup?': id,
  'runAsUser?': id,
  'runAsGroup?': id,
  'supplementalGroups[]': id,
  '. sysctls': (context: JsonObject, at: string, errors: FieldError[]) =>
    checkSysctls(context, `${at}.sysctls`, errors),
  'fsGroupChangePolicy?': strictlyOneOf('Always', 'OnRootMismatch'),
  'seccompProfile?': profile('seccomp'),
  'appArmorProfile?': profile('AppArmor'),
  'supplementalGroupsPolicy?': strictlyOneOf('Merge', 'Strict'),
  'seLinuxChangePolicy?': strictlyOneOf('MountOption', 'Recursive'),
})

function checkSysctls(context: JsonObject, at: string, errors: FieldError[]): void {
  const seen = new Set<string>()
  for (const [i, sysctl] of structsOf(context, 'sysctls').entries()) {
    const path = `${indexPath(at, i)}.name`
    const name = textOf(sysctl, 'name')
    if (name === '') errors.push(fieldRequired(path))
    else if (
      name.length > SYSCTL_MAX ||
      !/^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/.test(name)
    ) {
      const detail = `must have at most ${SYSCTL_MAX} characters and match regex ${SYSCTL_PATTERN}`
      errors.push(fieldInvalid(path, name, detail))
    } else if (seen.has(name)) errors.push(fieldDuplicate(path, name))
    seen.add(name)
  }
}

const containerFields = struct({
  'runAsUser?': id,
  'runAsGroup?': id,
  'procMount?': strictlyOneOf('Default', 'Unmasked'),
  'seccompProfile?': profile('seccomp'),
  'appArmorProfile?': profile('AppArmor'),
})

/** `securityContext` of a container. */
export function checkContainerSecurity(
  context: JsonObject,
  at: string,
  errors: FieldError[],
  hostUsers: boolean,
): void {
  containerFields(context, at, errors)
  if (hostUsers && context.procMount === 'Unmasked') {
    errors.push(fieldInvalid(`${at}.procMount`, 'Unmasked', '`hostUsers` must be false to use `Unmasked`'))
  }
  if (context.allowPrivilegeEscalation !== false) return
  if (flagOf(context, 'privileged')) {
    errors.push(
      fieldInvalid(
        at,
        shownContext(context),
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ),
    )
  }
  if (textsOf(childOf(context, 'capabilities'), 'add').includes('CAP_SYS_ADMIN')) {
    const detail = 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'
    errors.push(fieldInvalid(at, shownContext(context), detail))
  }
}

const CONTEXT_FIELDS = [
  'capabilities',
  'privileged',
  'seLinuxOptions',
  'windowsOptions',
  'runAsUser',
  'runAsGroup',
  'runAsNonRoot',
  'readOnlyRootFilesystem',
  'allowPrivilegeEscalation',
  'procMount',
  'seccompProfile',
  'appArmorProfile',
]

/** Printed as kube-apiserver's internal type, whose fields have no JSON names. */
function shownContext(context: JsonObject): unknown {
  const goName = (name: string) =>
    name === 'seLinuxOptions' ? 'SELinuxOptions' : name.charAt(0).toUpperCase() + name.slice(1)
  return Object.fromEntries(CONTEXT_FIELDS.map((name) => [goName(name), context[name] ?? null]))
}

const LINUX_ONLY_POD = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
]
const LINUX_ONLY_CONTAINER = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
]

/** The fields that a pod must not set for its operating system. */
export function checkOperatingSystem(spec: JsonObject, at: string, errors: FieldError[]): void {
  if (!has(spec, 'os')) return
  const os = textOf(childOf(spec, 'os'), 'name')
  if (os === '') return void errors.push(fieldRequired(`${at}.os.name`))
  if (os !== 'linux' && os !== 'windows') {
    return void errors.push(fieldNotSupported(`${at}.os`, os, ['linux', 'windows']))
  }
  const windows = os === 'windows'
  const detail = windows ? 'cannot be set for a windows pod' : 'windows options cannot be set for a linux pod'
  const refuse = (context: JsonObject | undefined, names: readonly string[], path: string) => {
    for (const name of names) if (has(context, name)) errors.push(fieldForbidden(`${path}.${name}`, detail))
  }
  refuse(childOf(spec, 'securityContext'), windows ? LINUX_ONLY_POD : ['windowsOptions'], `${at}.securityContext`)
  if (windows) {
    refuse(spec, ['hostUsers'], at)
    for (const name of ['hostPID', 'hostIPC'])
      if (flagOf(spec, name)) errors.push(fieldForbidden(`${at}.${name}`, detail))
    refuse(spec, ['shareProcessNamespace'], at)
  }
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const [i, container] of structsOf(spec, list).entries()) {
      const names = windows ? LINUX_ONLY_CONTAINER : ['windowsOptions']
      refuse(childOf(container, 'securityContext'), names, `${indexPath(`${at}.${list}`, i)}.securityContext`)
    }
  }
}
