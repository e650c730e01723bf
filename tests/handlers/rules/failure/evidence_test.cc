// The line that a diagnosis rests on, as people see it (R1).
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "handlers/rules/failure/diagnose.h"
#include "tests/handlers/rules/failure/cases.h"
#include "tests/handlers/rules/support.h"

namespace trainwarden::rules::evidence_test {
namespace {

using namespace failure_cases;

TEST(DiagnoseEvidence, IsTheLineItRestsOn) {
  EXPECT_EQ(
      diagnose_texts("", std::vector<std::string_view>{"epoch 1", "  KeyError: 'loss'  ", "x"})
          .evidence,
      "KeyError: 'loss'");
}

TEST(DiagnoseEvidence, IsShortCleanAndValid) {
  const std::string noise(5000, 'x');
  const std::string line =
      "\x1b[31m\x01" + noise.substr(0, 300) + "  \t CUDA out of memory. \xff\xfe" + noise;
  const Diagnosis d = diagnose_texts("", std::vector<std::string_view>{line});
  EXPECT_EQ(verdict(d), "oom_gpu/no");
  EXPECT_LE(d.evidence.size(), 200U);
  EXPECT_NE(d.evidence.find("CUDA out of memory. \xef\xbf\xbd"), std::string::npos) << d.evidence;
  for (const char c : d.evidence) EXPECT_GE(static_cast<unsigned char>(c), 0x20) << d.evidence;
}

std::string evidence_of(std::string_view line) {
  return diagnose_texts("", std::vector<std::string_view>{line}).evidence;
}

// R1: what shells, Python and launchers quote of the command that ended.
TEST(DiagnoseEvidence, R1_ShowsNoCommandLines) {
  EXPECT_EQ(evidence_of("run.sh: line 12:  4727 Killed   python train.py -k Hunter2 db.user=a"),
            "run.sh: line 12: 4727 Killed…");
  EXPECT_EQ(evidence_of("subprocess.CalledProcessError: Command '['python', 'train.py', '-k', "
                        "'Hunter2']' died with <Signals.SIGKILL: 9>."),
            "subprocess.CalledProcessError: Command '…' died with <Signals.SIGKILL: 9>.");
  EXPECT_EQ(evidence_of("['torchrun', 'train.py', '-k', 'Hunter2'] exits with return code = -9"),
            "['…'] exits with return code = -9");
  // What is no command stays.
  EXPECT_EQ(evidence_of("run.sh: line 12: train_cmd: unbound variable"),
            "run.sh: line 12: train_cmd: unbound variable");
}

TEST(DiagnoseEvidence, R1_ShowsNoCredentialsBehindTheirScheme) {
  EXPECT_EQ(
      evidence_of("ERROR: Authorization: Basic dXNlcjpwYXNzd29yZA== rejected with 403 Forbidden"),
      "ERROR: Authorization: Basic … rejected with 403 Forbidden");
  EXPECT_EQ(evidence_of("ERROR: 403 Forbidden: key AIzaSyA-1234567890abcdefghijk is not allowed"),
            "ERROR: 403 Forbidden: key … is not allowed");
}

// R1: FailureReason quotes the command line, and with it the hyperparameters.
TEST(DiagnoseEvidence, R1_ShowsNoHyperparametersNorEnvironment) {
  Diagnosis d;
  const auto describe = test::doc(R"({"TrainingJobStatus": "Failed",
      "FailureReason": "AlgorithmError: ExecuteUserScriptError:\nErrorMessage \"KeyError: 'hunter22'\"\nCommand \"/opt/conda/bin/python train.py --token hunter22 --lr 0.1\", exit code: 1",
      "HyperParameters": {"token": "\"hunter22\""}, "Environment": {"HF": "s3cr3t"}})");
  const auto logs = test::doc(
      R"({"tail": ["ValueError: cannot log in with s3cr3t or hunter22, python train.py --token hunter22"]})");
  ASSERT_EQ(diagnose(read_training_job(describe.root()), logs.root(), d), Diagnosed::kDiagnosed);
  EXPECT_EQ(d.evidence.find("hunter22"), std::string::npos) << d.evidence;
  EXPECT_EQ(d.evidence.find("s3cr3t"), std::string::npos) << d.evidence;
  EXPECT_NE(d.evidence.find("KeyError: '…'"), std::string::npos) << d.evidence;
  EXPECT_EQ(
      diagnose_texts(
          "", std::vector<std::string_view>{"train.py: error: unrecognized arguments: x --token y"})
          .evidence,
      "train.py: error: unrecognized arguments: x");
  // A secret that the cut would halve is cut out whole.
  const std::string secret(100, 'q');
  const std::string line = "KeyError: " + std::string(150, 'a') + " " + secret;
  EXPECT_EQ(
      diagnose_texts("", std::vector<std::string_view>{line}, std::vector<std::string_view>{secret})
          .evidence.find('q'),
      std::string::npos);
}

// R1: what looks like a credential is nobody's business either, whoever printed it.
TEST(DiagnoseEvidence, R1_ShowsNoCredentials) {
  struct Case {
    const char* line;
    const char* hidden;
    const char* kept;
  };
  constexpr Case kCases[] = {
      {"ValueError: bad config: {'aws_access_key_id': 'AKIAIOSFODNN7EXAMPLE'}",
       "AKIAIOSFODNN7EXAMPLE", "bad config"},
      {"ValueError: bad config: {'aws_secret_access_key': "
       "'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'x': 1}",
       "bPxRfiCY", "'x': 1"},
      {"ValueError: cannot sign with wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY at all", "MDENG",
       "at all"},
      {"KeyError: 'https://user:pw@host/path'", "pw", "host/path"},
      {"ValueError: login failed, password=hunter2, retry", "hunter2", "retry"},
      {"ValueError: HF_TOKEN=hf_abcdefghijklmnopqrstuv is not valid", "abcdefghij", "is not valid"},
      {"ValueError: Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.e30.x1 was refused", "eyJhb",
       "was refused"},
      {"ValueError: GET https://b.s3.amazonaws.com/k?X-Amz-Signature=0123456789abcdef&x=1",
       "0123456789abcdef", "x=1"},
      {"ValueError: WANDB_API_KEY: 0123456789abcdef0123456789abcdef01234567 is wrong", "89abcdef",
       "is wrong"},
      {"ValueError: bad header x-amz-security-token: IQoJb3JpZ2luX2VjEJr, sorry", "IQoJ", "sorry"},
      {"ValueError: Driver=Pg;Server=db;UID=ml;PWD=hunter2;Port=5432 is refused", "hunter2",
       "is refused"},
      {"ValueError: db_pass=hunter2 is wrong", "hunter2", "is wrong"},
      {"ValueError: postgres://u:p@ss/w0rd@10.0.0.3/db is refused", "w0rd", "10.0.0.3/db"},
      {"ValueError: https://deadbeefdeadbeefdeadbeef@github.com/a.git is gone", "deadbeefdead",
       "github.com/a.git"},
      {"ValueError: post to https://hooks.slack.com/services/T0/B0/Xyz123 failed", "Xyz123",
       "failed"},
      {"ValueError: url: /bot123456789:AAHdqTcv/sendMessage is refused", "AAHdqTcv", "is refused"},
      {"ValueError: headers {'X-Vault-Token': 's.abc123def456'} are refused", "abc123def456",
       "are refused"},
      {"ValueError: key npm_abcdefghijklmnopqrstuvwxyz is refused", "abcdefghij", "is refused"},
      {"ERROR: ftp://bob:hunter2@host/file: 503 Service Unavailable", "hunter2", "host/file"},
      {"ValueError: no URL in 'postgres//trainer:hunter2@db:5432/x'", "hunter2", "db:5432/x"},
      {"RuntimeError: curl -u bob:hunter2 https://x/api failed", "hunter2", "https://x/api failed"},
      {"ERROR: docker login -u AWS -p hunter2 763.dkr.ecr failed", "hunter2", "dkr.ecr failed"},
      {"ERROR: mysqldump -uroot -phunter2 db failed", "hunter2", "db failed"},
      {"ERROR: redis-cli -a hunter2 ping failed", "hunter2", "ping failed"},
      {"ERROR: wandb login 0123456789abcdef0123456789abcdef01234567 failed", "89abcdef", "failed"},
      {"ValueError: Credentials(access_key='x', secret_key='hunter2', token='x')", "hunter2",
       "access_key='x'"},
      {"TypeError: connect(auth=('bob', 'hunter2')) got an unexpected argument", "hunter2",
       "got an unexpected"},
      {"ValueError: invalid Config(user='bob', password=b'hunter2')", "hunter2", "user='bob'"},
      {"ValueError: fs.azure.account.key.acct.dfs.core.windows.net=hunter2 is wrong", "hunter2",
       "is wrong"},
      {"HTTPError: 503 Server Error for url: https://fn.azurewebsites.net/api/x?code=hunter2",
       "hunter2", "api/x?code="},
      {"DatabaseError: jdbc:oracle:thin:bob/hunter2@db:1521 is refused", "hunter2", "is refused"},
      {"ValueError: signing_key=hunter2 is wrong", "hunter2", "is wrong"},
  };
  for (const Case& c : kCases) {
    const std::string evidence = diagnose_texts("", std::vector<std::string_view>{c.line}).evidence;
    EXPECT_EQ(evidence.find(c.hidden), std::string::npos) << evidence;
    EXPECT_NE(evidence.find("…"), std::string::npos) << evidence;
    EXPECT_NE(evidence.find(c.kept), std::string::npos) << evidence;
  }
}

TEST(DiagnoseEvidence, R1_KeepsWhatOnlyLooksLikeACredential) {
  for (const std::string_view line :
       {"ValueError: pad_token = '[PAD]' is not in the vocabulary",
        "KeyError: 'token: layers.0.attention.weight'",
        "ValueError: invalid token at position 1023",
        "FileNotFoundError: [Errno 2] No such file or directory: "
        "'/opt/ml/input/data/train/Part-00017.parquet'",
        "ValueError: max_tokens=4096 exceeds the model's 2048",
        "RuntimeError: size mismatch for model.layers.11.self_attn.q_proj.weight",
        "ValueError: see https://github.com/pytorch/pytorch/issues/12345",
        "ValueError: http://10.0.0.3:8080/x@y is no model",
        "ValueError: the forward pass: 12 steps",
        "ValueError: git+https://github.com/a/b@0123456789abcdef is no model",
        "ValueError: /bots/7: x is no model",
        "ERROR: mkdir -p /opt/ml/model: Permission denied",
        "ERROR: nc -p 8080 failed",
        "RuntimeError: sbatch -p gpu-long job.sh failed",
        "RuntimeError: mysql ready; mkdir -pv /opt/ml failed",
        "RuntimeError: python train.py -u base -p fp16 -a resnet50 failed",
        "RuntimeError: gcloud auth login -p proj failed",
        "ERROR: java -parallel failed",
        "ValueError: please login first",
        "ValueError: oauth (see the docs) is needed",
        "ValueError: a//b is no path"})
    EXPECT_EQ(diagnose_texts("", std::vector<std::string_view>{line}).evidence, line);
}

// The record tells the verdict and the line it rests on, whole.
TEST(DiagnoseEvidence, R1_StandsBesideTheVerdictInTheDecision) {
  const Policy policy = test::policy(R"({"version": 1, "rules": [{"name": "r", "match":
      {"failure": {"resume": ["no"]}}, "actions": ["notify"]}]})");
  Sources sources(test::running());
  sources.set(Source::kDescribe,
              test::doc(R"({"TrainingJobStatus": "Failed", "FailureReason": "AlgorithmError: "})"));
  const std::string line = "ValueError: " + std::string(100, 'x');
  sources.set(Source::kLogs, test::doc(R"({"tail": [")" + line + R"("]})"));
  const Evaluation out = decide(policy, facts_from(sources, test::kNow), Mode::kEnforce);
  ASSERT_EQ(out.decisions.size(), 1U);
  const auto& because = out.decisions[0].because;
  ASSERT_EQ(because.size(), 2U);
  EXPECT_EQ(because[0].path(), "failure.resume");
  EXPECT_EQ(because[0].value, "no");
  EXPECT_EQ(because[1].path(), "failure.evidence");
  EXPECT_EQ(because[1].value, line);
  EXPECT_TRUE(out.decisions[0].rests_on.contains(Source::kLogs));
}

// R1: evidence is the line that names the cause, not one that raises it, and no frame.
TEST(DiagnoseEvidence, R1_IsNoSourceLine) {
  EXPECT_EQ(diagnose_texts(
                "", std::vector<std::string_view>{"Traceback (most recent call last):",
                                                  "  File \"/opt/ml/code/t.py\", line 3, in main",
                                                  "    raise ValueError(f\"bad {x}\")",
                                                  "ValueError: bad 7"})
                .evidence,
            "ValueError: bad 7");
}

}  // namespace
}  // namespace trainwarden::rules::evidence_test
