import type { AddOnDeploymentConfigSpec } from '@orrery/api'
import type { JsonValue } from '@orrery/kinds'
import { compileJsonTemplate, joinTexts, splitTemplate, TemplateError, type TextRenderer } from '@orrery/kinds/values'

/** Where the kubeconfig for the hub is mounted in the containers of an agent. */
export const HUB_KUBECONFIG_PATH = '/managed/hub-kubeconfig'

export type Variables = ReadonlyMap<string, string>

/** What the variables of a template depend on. */
export interface VariableSources {
  readonly clusterName: string
  readonly installNamespace: string
  /** Whether the template registers the agent. */
  readonly isRegistered: boolean
  readonly config: AddOnDeploymentConfigSpec | undefined
}

/**
 * The variables of an AddOnTemplate: `HUB_KUBECONFIG`, then the customized variables of the AddOnDeploymentConfig, then
 * `CLUSTER_NAME` and `INSTALL_NAMESPACE`, which cannot be overridden.
 */
export function templateVariables({ clusterName, installNamespace, isRegistered, config }: VariableSources): Variables {
  return new Map([
    ...(isRegistered ? [['HUB_KUBECONFIG', `${HUB_KUBECONFIG_PATH}/kubeconfig`] as const] : []),
    ...(config?.customizedVariables ?? []).map(({ name, value = '' }) => [name, value] as const),
    ['CLUSTER_NAME', clusterName],
    ['INSTALL_NAMESPACE', installNamespace],
  ])
}

const INJECTED = ['HUB_KUBECONFIG', 'CLUSTER_NAME', 'INSTALL_NAMESPACE']

/** The variables that all containers of the agent get in their environment. */
export function injectedVariables(variables: Variables): { name: string; value: string }[] {
  return INJECTED.flatMap((name) => {
    const value = variables.get(name)
    return value === undefined ? [] : [{ name, value }]
  })
}

/**
 * Manifests with their variables, such as `{{CLUSTER_NAME}}`, replaced in all texts and names of fields. A variable that is not set is
 * empty, as in Open Cluster Management. Values are set as they are: they cannot change the structure of an object. All manifests are
 * one template: its limit would apply to each of them otherwise, and a template can have hundreds.
 */
export function withVariables<T extends object>(
  manifests: readonly T[],
  path: string,
  variables: Variables,
): readonly T[] {
  const render = compileJsonTemplate(manifests as unknown as JsonValue, path, compileText, { keys: true })
  return render === undefined ? manifests : (render(variables) as unknown as readonly T[])
}

function compileText(text: string): TextRenderer<Variables> | undefined {
  const parts = splitTemplate(text, parseVariable)
  return parts && ((variables) => joinTexts(parts.map((part) => textOfPart(part, variables))))
}

function textOfPart(part: string | { readonly name: string }, variables: Variables): string {
  return typeof part === 'string' ? part : (variables.get(part.name) ?? '')
}

function parseVariable(text: string, start: number) {
  const end = text.indexOf('}}', start)
  if (end < 0) throw new TemplateError(`"{{${text.slice(start, start + 40)}" has no closing braces`)
  return { expression: { name: text.slice(start, end).trim() }, end: end + 2 }
}
