// The location of each API group's facts in a Kubernetes source tree, and the kinds to take from it.

const api = (group) => ({
  go: `k8s.io/api/${group}/v1`,
  files: [`staging/src/k8s.io/api/${group}/v1/types.go`],
  openapi: `io.k8s.api.${group}.v1`,
})

/**
 * `resources: false` takes no resources from discovery. `skip` omits resources. `kinds` are taken besides the kinds
 * of the resources.
 */
export const modules = {
  meta: {
    group: 'meta.k8s.io',
    version: 'v1',
    go: 'k8s.io/apimachinery/pkg/apis/meta/v1',
    files: [
      'staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/group_version.go',
      'staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/types.go',
      'staging/src/k8s.io/apimachinery/pkg/apis/meta/v1/watch.go',
    ],
    openapi: 'io.k8s.apimachinery.pkg.apis.meta.v1',
    resources: false,
    kinds: [
      'APIGroup',
      'APIGroupList',
      'APIResourceList',
      'APIVersions',
      'CreateOptions',
      'DeleteOptions',
      'GetOptions',
      'LabelSelector',
      'ListOptions',
      'PartialObjectMetadata',
      'PartialObjectMetadataList',
      'PatchOptions',
      'Status',
      'Table',
      'UpdateOptions',
      'WatchEvent',
    ],
  },
  core: { group: '', version: 'v1', ...api('core'), skip: ['componentstatuses'], kinds: [] },
  apps: { group: 'apps', version: 'v1', ...api('apps'), kinds: [] },
  batch: { group: 'batch', version: 'v1', ...api('batch'), kinds: [] },
  autoscaling: {
    group: 'autoscaling',
    version: 'v2',
    go: 'k8s.io/api/autoscaling/v2',
    files: ['staging/src/k8s.io/api/autoscaling/v2/types.go'],
    openapi: 'io.k8s.api.autoscaling.v2',
    kinds: [],
  },
  autoscalingv1: {
    group: 'autoscaling',
    version: 'v1',
    ...api('autoscaling'),
    kinds: ['Scale'],
  },
  networking: { group: 'networking.k8s.io', version: 'v1', ...api('networking'), kinds: [] },
  policy: { group: 'policy', version: 'v1', ...api('policy'), kinds: ['Eviction'] },
  rbac: { group: 'rbac.authorization.k8s.io', version: 'v1', ...api('rbac'), kinds: [] },
  authentication: { group: 'authentication.k8s.io', version: 'v1', ...api('authentication'), kinds: ['TokenRequest'] },
  authorization: { group: 'authorization.k8s.io', version: 'v1', ...api('authorization'), kinds: [] },
  certificates: {
    group: 'certificates.k8s.io',
    version: 'v1',
    ...api('certificates'),
    skip: ['clustertrustbundles', 'podcertificaterequests'],
    kinds: [],
  },
  coordination: { group: 'coordination.k8s.io', version: 'v1', ...api('coordination'), kinds: [] },
  events: { group: 'events.k8s.io', version: 'v1', ...api('events'), kinds: [] },
  discovery: { group: 'discovery.k8s.io', version: 'v1', ...api('discovery'), kinds: [] },
  resource: { group: 'resource.k8s.io', version: 'v1', ...api('resource'), kinds: [] },
  flowcontrol: { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', ...api('flowcontrol'), kinds: [] },
  scheduling: { group: 'scheduling.k8s.io', version: 'v1', ...api('scheduling'), kinds: [] },
  storage: { group: 'storage.k8s.io', version: 'v1', ...api('storage'), kinds: [] },
  node: { group: 'node.k8s.io', version: 'v1', ...api('node'), kinds: [] },
  admissionregistration: {
    group: 'admissionregistration.k8s.io',
    version: 'v1',
    ...api('admissionregistration'),
    skip: [
      'mutatingadmissionpolicies',
      'mutatingadmissionpolicybindings',
      'validatingadmissionpolicies',
      'validatingadmissionpolicybindings',
    ],
    kinds: [],
  },
  admission: {
    group: 'admission.k8s.io',
    version: 'v1',
    ...api('admission'),
    resources: false,
    kinds: ['AdmissionReview'],
  },
  apiextensions: {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    go: 'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1',
    files: [
      'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types.go',
      'staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/types_jsonschema.go',
    ],
    openapi: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    kinds: ['ConversionReview'],
  },
  apiregistration: {
    group: 'apiregistration.k8s.io',
    version: 'v1',
    go: 'k8s.io/kube-aggregator/pkg/apis/apiregistration/v1',
    files: ['staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/v1/types.go'],
    openapi: 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
    kinds: [],
  },
}

/** Types with their own wire form, by their names in the tables. */
export const specials = {
  'k8s.io/apimachinery/pkg/apis/meta/v1.Time': 'time',
  'k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime': 'microTime',
  'k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1': 'fieldsV1',
  'k8s.io/apimachinery/pkg/api/resource.Quantity': 'quantity',
  'k8s.io/apimachinery/pkg/util/intstr.IntOrString': 'intOrString',
  'k8s.io/apimachinery/pkg/runtime.RawExtension': 'raw',
  'k8s.io/apimachinery/pkg/types.UID': 'uid',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON': 'json',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrArray': 'schemaOrArray',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrBool': 'schemaOrBool',
  'k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSONSchemaPropsOrStringArray': 'schemaOrStrings',
}
