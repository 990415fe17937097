export const API_PATH = '/api/maestro'
export const VERSION_PATH = `${API_PATH}/v1`
export const BUNDLES_PATH = `${VERSION_PATH}/resource-bundles`
export const CONSUMERS_PATH = `${VERSION_PATH}/consumers`
export const ERRORS_PATH = `${VERSION_PATH}/errors`
export const OPENAPI_PATH = `${VERSION_PATH}/openapi`
