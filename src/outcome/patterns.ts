// The shapes of secrets that can be told by themselves: tokens of well-known vendors, from their documented formats.
// A shape is tried only where one of its keywords stands, and only there; its pattern begins with the keyword. Every repetition
// has an upper bound and nothing crosses a line break, so that a text can be cut at line ends without losing a secret.

export interface Shape {
  readonly name: string
  /** Three letters at least, in lower case; case is ignored for these, though not in the pattern. */
  readonly keywords: readonly string[]
  /**
   * Sticky. The secret is the whole match, or the group `secret`, which then ends where the match ends; a group `before`, in a
   * lookbehind, adds what stands before the keyword.
   */
  readonly pattern: RegExp
  /** Sticky too, and quick: tried first, and once for all shapes that share it. */
  readonly gate?: RegExp
  /** A second look at what was found; default: it is a secret. */
  readonly isSecret?: (secret: string, match: RegExpExecArray) => boolean
}

/** No secret and no key is looked for beyond this many characters after its keyword, nor further than 128 before it. */
export const maxSecretLength = 32_768

/** No letter or digit stands before, unless it belongs to an escape such as `\n`, `%3D` or `\u0022`. */
const alone = String.raw`(?<!(?<!\\|%[0-9A-Fa-f]?|\\u[0-9A-Fa-f]{3})[A-Za-z0-9])`
const ends = '(?![A-Za-z0-9])'
/** After the header of a JSON web token: claims and signature, or the four parts of an encrypted one. */
const jwtClaims = String.raw`eyJ[A-Za-z0-9_-]{8,12000}\.[A-Za-z0-9_-]{8,2000}`
const jweParts = String.raw`[A-Za-z0-9_-]{0,1000}\.[A-Za-z0-9_-]{8,32}\.[A-Za-z0-9_-]{8,12000}\.[A-Za-z0-9_-]{8,64}`

export const vendorShapes: readonly Shape[] = [
  // Code hosting, packages, delivery
  shape('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', 'gh[pousr]_[A-Za-z0-9_]{36,255}'),
  shape('github-fine-grained-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{36,255}'),
  shape(
    'gitlab-token',
    'glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- gloas-',
    'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct|oas)-[A-Za-z0-9_.-]{20,300}',
  ),
  shape('bitbucket-app-password', 'atbb', `${alone}ATBB[A-Za-z0-9]{32}${ends}`),
  shape('atlassian-token', 'atatt3 atctt3', 'AT[AC]TT3[A-Za-z0-9_=-]{60,400}'),
  shape('npm-token', 'npm_', `${alone}npm_[A-Za-z0-9]{36}${ends}`),
  shape('pypi-token', 'pypi-age', 'pypi-AgE[A-Za-z0-9_-]{50,1000}'),
  shape('rubygems-token', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  shape('clojars-token', 'clojars_', 'CLOJARS_[a-z0-9]{60}'),
  shape('docker-token', 'dckr_pat_ dckr_oat_', 'dckr_[po]at_[A-Za-z0-9_-]{27,64}'),
  shape('jfrog-token', 'akcp cmvmdgtu', `${alone}(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})${ends}`),
  shape('sonar-token', 'squ_ sqp_ sqa_', `${alone}sq[upa]_[a-f0-9]{40}${ends}`),
  shape('circleci-token', 'ccipat_', 'CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}'),
  shape('buildkite-token', 'bkua_', `${alone}bkua_[a-z0-9]{40}${ends}`),
  shape('pulumi-token', 'pul-', `${alone}pul-[a-f0-9]{40}${ends}`),
  shape('terraform-token', '.atlasv1.', '(?<=(?<before>[A-Za-z0-9]{14}))\\.atlasv1\\.[A-Za-z0-9_=-]{60,70}'),
  shape('infracost-key', 'ico-', `${alone}ico-[A-Za-z0-9]{32}${ends}`),
  shape('postman-key', 'pmak-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  shape('readme-key', 'rdme_', `${alone}rdme_[a-z0-9]{70}`),
  shape('prefect-key', 'pnu_ pnb_', `${alone}pn[ub]_[A-Za-z0-9]{36}${ends}`),

  // Clouds and hosting
  shape('aws-access-key-id', 'akia asia abia acca', `${alone}(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}${ends}`),
  shape('aws-session-token', 'fwogzxivyxdz iqojb3jpz2lu', '(?:FwoGZXIvYXdz|IQoJb3JpZ2lu)[A-Za-z0-9+/=%_-]{80,4000}'),
  shape('aws-bedrock-key', 'absk bedrock-api-key-', '(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{100,400}={0,2}'),
  shape('google-api-key', 'aiza', 'AIza[A-Za-z0-9_-]{35}'),
  shape('google-oauth-token', 'ya29.', `${alone}ya29\\.[A-Za-z0-9_-]{20,2000}`),
  shape('google-refresh-token', '1//0', `${alone}1//0[A-Za-z0-9_-]{40,200}`),
  shape('google-client-secret', 'gocspx-', 'GOCSPX-[A-Za-z0-9_-]{28}'),
  shape(
    'azure-storage-key',
    'accountkey= sharedaccesskey=',
    '(?:Account|SharedAccess)Key=(?<secret>[A-Za-z0-9+/]{43,86}={0,2})',
  ),
  shape('azure-signature', 'sig=', `${alone}sig=(?<secret>(?:[A-Za-z0-9+/]|%2[BbFf]){40,90}(?:%3[Dd]|=){1,2})`),
  shape(
    'azure-client-secret',
    '0q~ 1q~ 2q~ 3q~ 4q~ 5q~ 6q~ 7q~ 8q~ 9q~',
    `(?<=${alone}(?<before>[A-Za-z0-9_~.]{3}))[0-9]Q~[A-Za-z0-9_~.-]{31,34}`,
  ),
  shape('azure-devops-token', 'azdo', `(?<=${alone}(?<before>[A-Za-z0-9]{76}))AZDO[A-Za-z0-9]{4}${ends}`),
  shape('azure-service-key', 'jqqj99', `(?<=${alone}(?<before>[A-Za-z0-9]{52}))JQQJ99[A-Za-z0-9]{26}${ends}`),
  shape('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', 'do[opr]_v1_[a-f0-9]{64}'),
  shape('cloudflare-origin-key', 'v1.0-', `${alone}v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}`),
  near('cloudflare-token', 'cloudflare', '(?=[A-Za-z_-]{0,39}[0-9])[A-Za-z0-9_-]{40}|[a-f0-9]{37}'),
  near('fastly-token', 'fastly', '(?=[A-Za-z_-]{0,31}[0-9])[A-Za-z0-9_-]{32}'),
  shape('alibaba-key-id', 'ltai', `${alone}LTAI[A-Za-z0-9]{12,24}${ends}`),
  shape('tencent-key-id', 'akid', `${alone}AKID[A-Za-z0-9]{32}${ends}`),
  shape('yandex-key', 'aqvn', `${alone}AQVN[A-Za-z0-9_-]{35,38}(?![A-Za-z0-9_-])`),
  shape('heroku-key', 'hrku-', 'HRKU-[A-Za-z0-9_-]{36,60}'),
  shape('netlify-token', 'nfp_ nfc_ nfo_', `${alone}nf[pco]_[A-Za-z0-9]{36}${ends}`),
  shape('render-key', 'rnd_', `${alone}rnd_[A-Za-z0-9]{28,36}${ends}`),
  shape('fly-token', 'fm1_ fm2_ fo1_', `${alone}(?:fm[12]_[A-Za-z0-9+/]{60,2000}={0,2}|fo1_[A-Za-z0-9_-]{43})`),
  shape('tailscale-key', 'tskey-', 'tskey-[a-z]{2,10}-[A-Za-z0-9]{8,20}(?:-[A-Za-z0-9]{20,40})?'),
  shape('dynatrace-token', 'dt0', `${alone}dt0[a-z][0-9]{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}`),

  // Models
  shape(
    'openai-key',
    'sk-',
    `${alone}sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{40,250}|[A-Za-z0-9]{32,64}${ends})`,
  ),
  shape('anthropic-key', 'sk-ant-', 'sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{40,250}'),
  shape('openrouter-key', 'sk-or-', 'sk-or-v1-[a-f0-9]{64}'),
  shape('langfuse-key', 'sk-lf-', 'sk-lf-[a-f0-9-]{36}'),
  shape('langsmith-key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  shape('huggingface-token', 'hf_ api_org_', `${alone}(?:hf_|api_org_)[A-Za-z0-9]{34,40}${ends}`),
  shape('groq-key', 'gsk_', `${alone}gsk_[A-Za-z0-9]{52}${ends}`),
  shape('xai-key', 'xai-', `${alone}xai-[A-Za-z0-9]{80}${ends}`),
  shape('perplexity-key', 'pplx-', `${alone}pplx-[A-Za-z0-9]{48,56}${ends}`),
  shape('replicate-token', 'r8_', `${alone}r8_[A-Za-z0-9]{37}${ends}`),
  shape('pinecone-key', 'pcsk_', `${alone}pcsk_[A-Za-z0-9_]{60,90}${ends}`),
  shape('tavily-key', 'tvly-', `${alone}tvly-(?:dev-|prod-)?[A-Za-z0-9-]{30,64}${ends}`),
  shape('databricks-token', 'dapi', `${alone}dapi[a-f0-9]{32}(?:-[0-9])?${ends}`),

  // Messages and mail
  shape('slack-token', 'xox xapp-', `${alone}(?:xox[abceoprs]-|xoxe\\.xox[bp]-|xapp-)[A-Za-z0-9-]{20,255}`),
  shape(
    'slack-webhook',
    'hooks.slack.com/',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/(?<secret>[A-Za-z0-9+/]{30,100})',
  ),
  near('discord-token', 'discord', '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,38}'),
  shape(
    'discord-webhook',
    'discord.com/api/webhooks/ discordapp.com/api/webhooks/',
    'discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/(?<secret>[A-Za-z0-9_-]{60,80})',
  ),
  shape('telegram-token', ':aa', `(?<=(?<![0-9])(?<before>[0-9]{8,10})):AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])`),
  near('twilio-key', 'twilio', '(?:SK)?[a-f0-9]{32}'),
  shape('sendgrid-key', 'sg.', `${alone}SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}`),
  shape('mailgun-key', 'key-', `${alone}key-[a-f0-9]{32}${ends}`),
  shape('mailchimp-key', '-us', '(?<=(?<![a-f0-9])(?<before>[a-f0-9]{32}))-us[0-9]{1,2}(?![0-9])'),
  shape('brevo-key', 'xkeysib-', 'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  shape('resend-key', 're_', `${alone}re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}${ends}`),

  // Money and shops
  shape(
    'stripe-key',
    'sk_live_ sk_test_ rk_live_ rk_test_ sk_org_',
    `${alone}[sr]k_(?:live|test|org)_[A-Za-z0-9_]{16,247}`,
  ),
  shape('stripe-webhook-secret', 'whsec_', 'whsec_[A-Za-z0-9+/=]{32,100}'),
  shape(
    'square-token',
    'sq0 eaaa',
    `${alone}(?:sq0[a-z]{3}-[A-Za-z0-9_-]{22,43}|EAAA[A-Za-z0-9_-]{60})(?![A-Za-z0-9_-])`,
  ),
  shape('braintree-token', 'access_token$', 'access_token\\$(?:production|sandbox)\\$[a-z0-9]{16}\\$[a-f0-9]{32}'),
  shape(
    'plaid-token',
    'access-sandbox- access-development- access-production-',
    'access-(?:sandbox|development|production)-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}',
  ),
  shape('flutterwave-key', 'flwseck', 'FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,32}(?:-X)?'),
  shape('shopify-token', 'shpat_ shpca_ shppa_ shpss_', 'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}'),
  shape('shippo-token', 'shippo_', 'shippo_(?:live|test)_[a-f0-9]{40}'),
  shape('easypost-key', 'ezak eztk', `${alone}EZ[AT]K[A-Za-z0-9]{54}${ends}`),
  shape('duffel-token', 'duffel_', 'duffel_(?:live|test)_[A-Za-z0-9_-]{43}'),

  // Tools that people and teams use
  shape('linear-key', 'lin_api_ lin_oauth_', 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}'),
  shape('notion-token', 'ntn_ secret_', `${alone}(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})${ends}`),
  shape('figma-token', 'figd_ figu_ figo_ figor_', `${alone}fig(?:d|u|o|or|ur|dr)_[A-Za-z0-9_-]{40,60}`),
  shape('airtable-token', 'pat', `${alone}pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}${ends}`),
  near('asana-token', 'asana', '[0-2]/[0-9]{16}(?:/[0-9]{16})?:[a-f0-9]{32}'),
  shape('hubspot-token', 'pat-na pat-eu', 'pat-(?:na|eu)[0-9]-[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}'),
  shape('typeform-token', 'tfp_', `${alone}tfp_[A-Za-z0-9_.=-]{40,64}`),
  shape('contentful-token', 'cfpat-', 'CFPAT-[A-Za-z0-9_-]{43}'),
  shape('dropbox-token', 'sl.', `${alone}sl\\.(?:u\\.)?[A-Za-z0-9_-]{100,1500}`),
  shape('mapbox-token', 'sk.eyj', `${alone}sk\\.eyJ[A-Za-z0-9_-]{40,300}\\.[A-Za-z0-9_-]{20,60}`),
  shape('frameio-token', 'fio-u-', 'fio-u-[A-Za-z0-9_=-]{64}'),
  shape('adafruit-key', 'aio_', `${alone}aio_[A-Za-z0-9]{28}${ends}`),

  // Databases, observation, keepers of secrets
  shape('planetscale-token', 'pscale_', 'pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}'),
  shape('supabase-token', 'sbp_ sb_secret_', `${alone}(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{31,64})`),
  shape('grafana-token', 'glsa_ glc_', '(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,2})'),
  shape('new-relic-key', 'nrak- nrii- nriq- nrra-', `${alone}NR(?:AK|II|IQ|RA)-[A-Za-z0-9_-]{27,42}`),
  shape('sentry-token', 'sntrys_ sntryu_', 'sntry(?:s_eyJ[A-Za-z0-9+/=_-]{60,600}|u_[a-f0-9]{64})'),
  shape('vault-token', 'hvs. hvb. hvr.', `${alone}hv[sbr]\\.[A-Za-z0-9_-]{24,300}`),
  shape(
    'doppler-token',
    'dp.',
    `${alone}dp\\.(?:pt|ct|st|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?[A-Za-z0-9]{40,44}${ends}`,
  ),
  shape('1password-token', 'ops_eyj', 'ops_eyJ[A-Za-z0-9+/=_-]{200,2000}'),
  shape('age-secret-key', 'age-secret-key-1', 'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}'),
  shape(
    'json-web-token',
    'eyj',
    String.raw`(?:(?<=%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4})|(?<![A-Za-z0-9_-]{2}))eyJ[A-Za-z0-9_-]{8,4000}\.(?:${jwtClaims}|${jweParts})`,
  ),
]

function shape(name: string, keywords: string, source: string): Shape {
  return { name, keywords: keywords.split(' '), pattern: new RegExp(source, 'y') }
}

/** A token that has nothing of its own, told by the vendor's name shortly before it. */
function near(name: string, keyword: string, source: string): Shape {
  const pattern = `${keyword}[^\\r\\n]{0,60}?(?<![A-Za-z0-9_-])(?<secret>${source})(?![A-Za-z0-9_-])`
  return { name, keywords: [keyword], pattern: new RegExp(pattern, 'yi') }
}
