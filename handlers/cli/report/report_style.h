// The style of a report's page: for a screen of any width, light or dark, and for paper. Adjacent
// colours also differ in lightness, for readers who cannot tell them apart, and whatever a colour
// says is also said in words. Text has a contrast of at least 4.5 with its background (WCAG 2 AA).
#pragma once

#include <string_view>

namespace trainwarden::cli {

inline constexpr std::string_view kReportStyle = R"(
:root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--mute:#59636e;--card:#f4f6f8;--line:#d5dae0;
--completed:#a9c4de;--failed:#6b7682;--stopped:#bcc4cd;--not_over:#dcd3f0;--kept:#0a67a3;
--destroyed:#c4430b;--other:#e3ad3c;--good:#075985;--bad:#a83a0a;--link:#0b5cad;--use:#2f7d5b}
@media (prefers-color-scheme:dark){:root{--bg:#14171a;--fg:#e8ebee;--mute:#a3adb8;--card:#1e2328;
--line:#363e47;--completed:#43719e;--failed:#bac4ce;--stopped:#707c88;--not_over:#544a7c;
--kept:#4db2f0;--destroyed:#ff7c3f;--other:#d9a437;--good:#7cc6f5;--bad:#ff9d70;--link:#7cbcff;
--use:#63c79b}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--bg);color:var(--fg);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
main{max-width:1040px;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}
h2{font-size:1.15rem;margin:2.4rem 0 .3rem}
h3{font-size:1rem;margin:1.4rem 0 .3rem}
p{margin:.3rem 0 .6rem}
a{color:var(--link)}
.mute{color:var(--mute);font-size:.9rem}
h1,h2,h3,p,li,td,th,code,summary{overflow-wrap:anywhere}
code{font:.86em/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(13.5rem,1fr));gap:1rem;margin:1.3rem 0}
.figure{background:var(--card);border-radius:10px;padding:.9rem 1.1rem;border-top:4px solid var(--line)}
.figure p{margin:.2rem 0 0;font-size:.93rem}
.figure .number{display:block;font-size:1.6rem;line-height:1.2;font-weight:700;
font-variant-numeric:tabular-nums}
.figure.kept{border-top-color:var(--kept)}.figure.kept .number{color:var(--good)}
.figure.destroyed{border-top-color:var(--destroyed)}.figure.destroyed .number{color:var(--bad)}
.figure.look{border-top-color:var(--other)}
.figure.stopped{border-top-color:var(--mute)}
.figure.alarming{border-top-color:var(--destroyed)}.figure.alarming .number{color:var(--bad)}
.warning{border-left:4px solid var(--destroyed);padding:.1rem 0 .1rem .8rem}.warning b{color:var(--bad)}
.legend{display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;list-style:none;padding:0;margin:.3rem 0 .6rem;
font-size:.88rem}
.key{display:inline-block;width:.8em;height:.8em;border-radius:2px;margin-right:.45em;
vertical-align:-.05em;border:1px solid #0003}
.b-completed{background:var(--completed)}.b-failed{background:var(--failed)}
.b-stopped{background:var(--stopped)}.b-not_over{background:var(--not_over)}
.b-kept{background:var(--kept)}.b-destroyed{background:var(--destroyed)}.b-other{background:var(--other)}
.b-use{background:var(--use)}
.f-completed{fill:var(--completed)}.f-failed{fill:var(--failed)}.f-stopped{fill:var(--stopped)}
.f-not_over{fill:var(--not_over)}.f-kept{fill:var(--kept)}.f-destroyed{fill:var(--destroyed)}
.f-other{fill:var(--other)}.f-use{fill:var(--use)}.f-card{fill:var(--card)}
.grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
.act{stroke:var(--fg);stroke-width:3;vector-effect:non-scaling-stroke}
svg{display:block;width:100%}
.weeks{display:grid;grid-template-columns:auto minmax(0,1fr);column-gap:.6rem}
.weeks .scale{display:flex;flex-direction:column;justify-content:space-between;text-align:right;
height:200px;font-size:.8rem;color:var(--mute);margin:-.6em 0}
.weeks .scale span{line-height:1.2}
.weeks svg{height:200px}
.weeks rect{stroke:var(--bg);stroke-width:1;vector-effect:non-scaling-stroke}
.weeks .names{grid-column:2;display:flex;min-width:0;overflow:clip;font-size:.8rem;color:var(--mute)}
.weeks .names span{flex:1;text-align:center;white-space:nowrap;overflow:hidden;min-width:0}
.bars{list-style:none;margin:.6rem 0;padding:0}
.bars li{display:grid;grid-template-columns:15rem minmax(0,1fr) 6.5rem;gap:.1rem 1rem;align-items:start;
padding:.5rem 0;border-top:1px solid var(--line);break-inside:avoid}
.bars .who{min-width:0}
.bars .who b{display:block;font-weight:600;line-height:1.3}
.bars .usd{text-align:right;font-weight:600;font-variant-numeric:tabular-nums}
.bars .bar svg{height:22px}.bars .bar .strip{height:24px;margin-top:3px}
.bars .what{font-size:.88rem;line-height:1.35;margin:.25rem 0 0}
.wide{position:relative;overflow-x:auto;margin:.4rem 0}
table{border-collapse:collapse;width:100%;font-size:.92rem}
caption{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
td,th{text-align:left;vertical-align:top;padding:.38rem .7rem .38rem 0;border-bottom:1px solid var(--line);
min-width:3.2rem}
th{font-weight:600;color:var(--mute);font-size:.85rem;overflow-wrap:normal}
tbody th{color:var(--fg);font-size:inherit;min-width:7rem;max-width:18rem}
.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap;overflow-wrap:normal}
thead .n{white-space:normal}.stacks td:last-child:not(.n){min-width:9rem}
.wrong{color:var(--bad);font-weight:600}
.right{color:var(--good);font-weight:600}
.share svg{width:120px;height:12px}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--link);font-size:.93rem}
.stops li{padding:.6rem 0;border-top:1px solid var(--line);break-inside:avoid}
.stops{list-style:none;padding:0;margin:.4rem 0}
.stops code{display:block;background:var(--card);padding:.35rem .6rem;border-radius:6px;margin-top:.3rem}
.unknown li{margin:.3rem 0}
.two{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:0 2.5rem}
.two>section{min-width:0}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.6rem}
@media (max-width:700px){.figures,.two{grid-template-columns:minmax(0,1fr)}.figures{gap:.6rem}
.bars li{grid-template-columns:minmax(0,1fr) auto}.bars .bar{grid-column:1/-1;grid-row:2}
.weeks .names.many span:nth-child(3n+2),.weeks .names.many span:nth-child(3n),
.weeks .names.many span:last-child{visibility:hidden}
.weeks .names.many span{overflow:visible}
h1{font-size:1.35rem}
.stacks thead{display:none}.stacks table,.stacks tbody,.stacks tr,.stacks th,.stacks td{display:block}
.stacks tr{border-top:1px solid var(--line);padding:.5rem 0}.stacks tbody th{max-width:none}
.stacks th,.stacks td{border:0;padding:.1rem 0}.stacks td:empty{display:none}
.stacks td{display:flex;justify-content:space-between;gap:1rem;text-align:right;white-space:normal}
.stacks td::before{content:attr(data-head);color:var(--mute);text-align:left;white-space:nowrap}}
@media print{:root{color-scheme:light}body{font-size:11pt}main{max-width:none;padding:0}
.figure,.key,svg{-webkit-print-color-adjust:exact;print-color-adjust:exact}
.wide{overflow:visible}h2,h3{break-after:avoid}a{color:inherit}}
)";

}  // namespace trainwarden::cli
