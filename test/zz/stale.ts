import { setTimeout as delay } from "node:timers/promises";
import { writeFileSync } from "node:fs";
import { startPostgres } from "../journal/postgres-cluster.ts";
import { startProvider, CLIENT } from "../sign-in/test-provider.ts";
import { start, newFolder, writeConfig, cleanUp } from "../end-to-end/program.ts";
const KEY="a-secret-key-that-only-this-test-knows-0123456789";
const TOKEN="a-token-that-only-this-test-knows-0123456789";
const cluster = await startPostgres();
const provider = await startProvider(["http://localhost:8000/oidc/callback"]);
const folder = newFolder();
const ak="AKIAJAAAAAAAAAAAAAAQ", sk="a-secret-of-the-administrator-of-the-test";
writeFileSync(folder+"/set.json", JSON.stringify({format:1,preconfigured:true,users:[{username:"admin",groups:["Admins"],credentials:[{access_key_id:ak,secret_access_key:sk}]},{username:"alice",email:"alice@example.com",groups:["Admins"]}]}));
const config = writeConfig(folder, {
  listen_address:"127.0.0.1:0","authorizer.listen_address":"127.0.0.1:0","authorizer.metrics_address":"127.0.0.1:0",
  "database.type":"postgres","database.postgres.connection_string": await cluster.newDatabase(),
  "auth.encrypt.secret_key":KEY,"auth.api.token":TOKEN,
  "authorizer.replication.max_staleness":"3s","authorizer.replication.commit_timeout":"2s",
  "authorizer.datasets":[folder+"/set.json"],
  "authorizer.passwords.enabled":true,
  "authorizer.sts.enabled":true,
  "authorizer.tokens":[{name:"idp",scopes:["scim"],token:"idp-token-0123456789-0123456789-01234"}],
  "authorizer.authentication_api.enabled":true,"authorizer.authentication_api.trusted_servers":["127.0.0.1"],
  "authorizer.sign_in.origins":["http://localhost:8000"],
  "authorizer.oidc.issuers":[{name:"corp",issuer:provider.issuer,sign_in:true,client_id:CLIENT.id,client_secret:CLIENT.secret,create_users:true,title:"Corp",username_claim:"preferred_username"}],
  "authorizer.forward_auth.proxy":"nginx","authorizer.trusted_proxies":["127.0.0.1"],
  "email.smtp_host":"127.0.0.1","email.smtp_port":1,"email.sender":"d@example.com",
  "logging.level":"WARN",
});
const node = await start(["--config",config],folder);
const basic="Basic "+Buffer.from(`${ak}:${sk}`).toString("base64");
const login = await (await fetch(node.user+"/api/v1/auth/login",{method:"POST",headers:{"content-type":"application/json"},body:JSON.stringify({access_key_id:ak,secret_access_key:sk})})).json() as any;
console.log("login", !!login.token);
const docs = await Promise.all([[node.service,"/openapi.json"],[node.user,"/openapi.json"]].map(async ([u,p])=>{const r=await fetch(u!+p!,{headers:{authorization:u===node.service?`Bearer ${TOKEN}`:basic}});return [u, r.status===200? await r.json():{paths:{}, st:r.status}] as [string,any]}));
const ask = async (u:string, doc:any) => {
  const out:string[]=[];
  for (const [path,item] of Object.entries<any>(doc.paths)) for (const [method,op] of Object.entries<any>(item)) {
    if (!["get","put","post","patch","delete","head"].includes(method)) continue;
    let p = path.replace(/\{[^}]*\}/g,"alice");
    const q=(op.parameters??[]).filter((x:any)=>x.in==="query"&&x.required).map((x:any)=>`${x.name}=${encodeURIComponent(x.example??"x")}`).join("&");
    if(q) p+="?"+q;
    const types=Object.entries<any>(op.requestBody?.content??{}); 
    let body:any, ct:string|undefined;
    if(types.length){const [t,c]=types[0]!;ct=t;const ex=c.example??Object.values<any>(c.examples??{})[0]?.value??{}; body = t.includes("urlencoded")? new URLSearchParams(ex).toString(): typeof ex==="string"?ex:JSON.stringify(ex);}
    for (const [n,auth] of [["tok",u===node.service?(path.includes("scim")?"Bearer idp-token-0123456789-0123456789-01234":`Bearer ${TOKEN}`):`Bearer ${login.token}`],["basic",basic]] as const) {
      if(n==="basic"&&u===node.service) continue;
      const c=new AbortController(); const t=setTimeout(()=>c.abort(),8000);
      try{ const r=await fetch(u+p,{method:method.toUpperCase(),headers:{authorization:auth!,...(ct&&{"content-type":ct}),"x-original-method":"GET","x-original-uri":"/api/v1/repositories","x-original-host":"localhost", ...(ct?.includes("urlencoded")?{"sec-fetch-site":"same-origin"}:{})},signal:c.signal,redirect:"manual",...(body!==undefined&&{body})});
        const rd=r.body?.getReader(); const first=rd? await Promise.race([rd.read(),delay(300)]):undefined; const txt= first&&(first as any).value?Buffer.from((first as any).value).toString().slice(0,110).replace(/\n/g," "):""; void rd?.cancel().catch(()=>{});
        out.push(`${r.status} ${n} ${method.toUpperCase()} ${p} ${txt}`);
      }catch(e){out.push(`ERR ${n} ${method} ${p} ${e}`)} finally{clearTimeout(t)}
    }
  }
  return out;
};
await cluster.stop();
await delay(5000);
for (const [u,d] of docs) { const out=await ask(u,d); console.log("==", u, d.st??"", out.length); for(const l of out) if(!l.startsWith("503")) console.log(l); else if(process.env.ALL) console.log(l); }
await node.end(); console.log(node.stderr().slice(-500));
await cluster.close(); await provider.close(); cleanUp(); process.exit(0);
