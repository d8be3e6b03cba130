/** The example of the design, with every key. */
export const example = `{
  "$schema": "./node_modules/legwork/schema.json",
  "mcpServers": { "files": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."],   // as other clients have it,
      "legwork": { "trust": "org", "include": [], "exclude": [], "confine": "off", "pin": "ask" } } },           // and what is ours
  "programs": { "git": {}, "gh": { "metadata": "./gh.json", "command": "./bin/gh", "trust": "vendor", "confine": "processes", "env": ["GH_TOKEN"] } },
  "skills": ["./skills", { "path": "./ours", "trust": "org", "confine": "off", "network": true, "workspace": "read", "env": ["API_KEY"], "allowedTools": "preapprove" }],
  "documents": ["./documents/**/*.xml"],     // the <tool> blocks in them become tools
  "contracts": ["./contracts/**/*.yaml"],
  "functions": ["./tools.ts"],               // every tool that the module exports
  "policy": { "profile": "recommended", "allowDestructive": false, "approvalTimeoutMs": 300000, "allow": ["git:status"], "ask": ["files:*"], "deny": ["effect:billable"] },
  "limits": { "timeoutMs": 30000, "maxOutputBytes": 1048576, "maxTextLength": 100000 },
  "redact": { "values": ["\${GH_TOKEN}"], "patterns": ["acme_[a-z0-9]{20}"] },
  "journal": { "path": ".legwork/legwork.db", "durability": "process" },
  "serve": { "expose": "auto" }              // what an MCP client sees: direct, meta or auto
}
`
