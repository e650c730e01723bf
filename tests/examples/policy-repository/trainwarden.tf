resource "aws_cloudformation_stack" "trainwarden" {
  name         = "trainwarden"
  template_url = "https://my-bucket.s3.eu-central-1.amazonaws.com/trainwarden/packaged.yaml"
  parameters   = { Mode = "observe", PolicyParameter = "/trainwarden/policy" }
  capabilities = ["CAPABILITY_IAM"]
}
