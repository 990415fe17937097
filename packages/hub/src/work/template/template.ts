import type { ManifestWorkSpec } from '@orrery/api'
import type { JsonValue } from '@orrery/kinds'
import { compileJsonTemplate, located, TemplateError } from '@orrery/kinds/values'
import { withMetadataTemplate } from './metadata.js'
import { compileText } from './text.js'
import type { ClusterValues } from './values.js'

/**
 * Compiles a template, to be rendered for many clusters: the manifests, and the names in `manifestConfigs` and
 * `deleteOption`. Parts without expressions are shared by all results. Throws a `TemplateError` with the path of what is not
 * valid; rendering throws a `ValueError`.
 */
export function compileTemplate(template: ManifestWorkSpec): (values: ClusterValues) => ManifestWorkSpec {
  const { workload, manifestConfigs = [], deleteOption } = template
  const manifests = (workload?.manifests ?? []).map((manifest, index) =>
    located(TemplateError, `workload.manifests[${index}]`, () => withMetadataTemplate(manifest)),
  )
  const renderManifests = compiled(manifests, 'workload.manifests')
  const renderConfigs = manifestConfigs.map(({ resourceIdentifier }, index) =>
    compiled(resourceIdentifier, `manifestConfigs[${index}].resourceIdentifier`),
  )
  const renderOrphans = compiled(deleteOption?.selectivelyOrphans, 'deleteOption.selectivelyOrphans')
  return (values) => ({
    ...template,
    workload: { ...workload, manifests: renderManifests(values) },
    ...(manifestConfigs.length > 0 && {
      manifestConfigs: manifestConfigs.map((config, index) => ({
        ...config,
        resourceIdentifier: renderConfigs[index]?.(values) ?? config.resourceIdentifier,
      })),
    }),
    ...(deleteOption?.selectivelyOrphans !== undefined && {
      deleteOption: {
        ...deleteOption,
        selectivelyOrphans: renderOrphans(values) as typeof deleteOption.selectivelyOrphans,
      },
    }),
  })
}

function compiled<T>(value: T, path: string): (values: ClusterValues) => T {
  const render = compileJsonTemplate(value as JsonValue | undefined, path, compileText)
  return render === undefined ? () => value : (values) => render(values) as T
}
